"""What `ilinject mcp` answers leads to the fault: a script that knows the tools' schemas alone has the method's id, file
and line after three calls at most (`leads`), and after one where two profiles are compared (`compares`)."""
import re
import sys
sys.path.insert(1, sys.path[0] + "/../e2e/lib/py")
from kit import command, csc, fresh, ilinject, mcs, true, write, RUNNERS
from faults import FAULTS, HERE, SYMBOLS, profile_of
from mcp import misfit, places_of

CALLS, TOKENS, BYTES_A_TOKEN = 3, 6000, 4

# Fixed before: a customer is loaded once, and products have an index.
FIXED = {
    "NPlusOne": [("service.LoadCustomer(order.CustomerId))", "Known(order.CustomerId))"),
                 ("        void WriteHeader()", """\
        readonly Dictionary<int, Customer> known = new Dictionary<int, Customer>();

        Customer Known(int id)
        {
            Customer found;
            if (!known.TryGetValue(id, out found))
                known[id] = found = service.LoadCustomer(id);
            return found;
        }

        void WriteHeader()""")],
    "Quadratic": [("""\
            foreach (Product product in products)
                if (product.Sku == sku)
                    return product;
            return null;
""", """\
            Product found;
            return bySku.TryGetValue(sku, out found) ? found : null;
"""), ("            products.Add(product);",
     "            products.Add(product);\n            bySku[product.Sku] = product;"),
                  ("        public Product FindBySku",
                   "        readonly Dictionary<string, Product> bySku = new Dictionary<string, Product>();\n\n"
                   "        public Product FindBySku")],
}


def lines_of(fault):
    """Those of the head and the first statement of the planted method."""
    name = fault.method.split(".")[1]
    text = (HERE / f"{fault.name}.cs").read_text().splitlines()
    heads = [i for i, line in enumerate(text, 1) if re.search(rf"\b{name}(<\w+>)?\([^;]*$", line) and
             re.search(r"^\s*(public|static|private|internal|int|string|void|bool|double|\w+\[?\]? )", line)]
    return {line for head in heads for line in range(head, head + 4)}


def asked(client, profile):
    """The answers to the summary, and to what it says to ask next."""
    answers = [client.call("summary", profile=profile)]
    for next_call in answers[0]["suggest"][:CALLS - 1]:
        tool = client.tools[next_call["tool"]]
        fault = misfit(tool["inputSchema"], next_call["arguments"])
        true(not fault, f"{next_call} does not fit: {fault}")
        answers.append(client.call(tool["name"], **next_call["arguments"]))
    return answers


def has_place(fault, answers):
    places = places_of(answers, fault.method)
    fit = [place for place in places if re.fullmatch(r"m[1-9]\d*", place[0]) and place[1] and
           place[1].endswith(f"{fault.name}.cs") and place[2] in lines_of(fault)]
    true(fit, f"{fault.method} is at none of the lines {sorted(lines_of(fault))}: {places or answers}")


def leads(client, fault, runtime):
    """`client`: of the folder that has the program's profile."""
    answers = asked(client, profile_of(fault, runtime).name)
    tokens = sum(len(str(answer)) for answer in answers) / BYTES_A_TOKEN
    true(tokens <= TOKENS, f"{tokens} tokens")
    has_place(fault, answers)


def record_fixed(fault, runtime):
    suffix = "dll" if runtime == "dotnet" else "exe"
    folder = fresh(f"fixed.{runtime}.{fault.name}")
    text = (HERE / f"{fault.name}.cs").read_text()
    for was, becomes in FIXED[fault.name]:
        true(text.count(was) == 1, f"{was} stands {text.count(was)} times")
        text = text.replace(was, becomes)
    source = write(folder / f"{fault.name}.cs", text)
    data = f"programs.{runtime}/Data.dll"
    compiled = csc if runtime == "dotnet" else mcs
    compiled(folder / f"{fault.name}.{suffix}", f"-r:{data}", "-optimize+", SYMBOLS[runtime], source)
    command("cp", data, folder)
    ilinject("-q", folder / f"{fault.name}.{suffix}", "-o", f"{folder}/out/")
    command("cp", data, folder / "out")
    profile = f"{fault.name}.{runtime}.fixed.ilprof"
    command(RUNNERS[runtime], folder / "out" / f"{fault.name}.{suffix}", env={"ILINJECT_OUT": profile})
    return profile


def compares(client, fault, runtime):
    before = record_fixed(fault, runtime)
    answer = client.call("compare", before=before, after=profile_of(fault, runtime).name)
    true(len(str(answer)) / BYTES_A_TOKEN <= TOKENS, f"{len(str(answer))} bytes")
    answer["methods"] = answer["methods"][:3]
    has_place(fault, [answer])


def fixed():
    return [fault for fault in FAULTS if fault.name in FIXED]
