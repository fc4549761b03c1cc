# Homebrew's formula, on Linux. `make release RELEASE_URL=…` fills it.
class Ilinject < Formula
  desc "Profiles .NET programs by rewriting their assemblies"
  homepage "@URL@"
  version "@VERSION@"
  license "MIT"

  on_linux do
    on_intel do
      url "@URL@/ilinject-@VERSION@-linux-x64.tar.gz"
      sha256 "@SUM_LINUX_X64@"
    end
    on_arm do
      url "@URL@/ilinject-@VERSION@-linux-arm64.tar.gz"
      sha256 "@SUM_LINUX_ARM64@"
    end
  end

  depends_on :linux

  def install
    bin.install "ilinject"
    man1.install "ilinject.1"
    (share/"xml/ilinject").install "ilinject-config.xsd"
    bash_completion.install "completions/ilinject.bash" => "ilinject"
    zsh_completion.install "completions/_ilinject"
    prefix.install "LICENSE", "NOTICES"
  end

  test do
    assert_equal "ilinject #{version}", shell_output("#{bin}/ilinject --version").strip
  end
end
