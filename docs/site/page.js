// The search box of a page: results while one types, "/" goes there, Escape leaves. PAGE?q=WORDS asks at once.
(function () {
    const box = document.getElementById("query"), list = document.getElementById("found"), up = document.body.dataset.up;

    function show() {
        const found = box.value.trim().length > 1 ? findPages(SITE, box.value) : [];
        list.replaceChildren(...found.map(one => {
            const item = document.createElement("li"), link = document.createElement("a"), title = document.createElement("b");
            const text = document.createElement("small");
            link.href = up + one.url;
            title.textContent = one.title;
            text.textContent = one.text;
            link.append(title, one.heading ? " – " + one.heading : "", text);
            item.append(link);
            return item;
        }));
        list.hidden = !found.length;
    }

    box.value = new URLSearchParams(location.search).get("q") || "";
    show();
    box.addEventListener("input", show);
    box.form.addEventListener("submit", event => {
        event.preventDefault();
        const first = list.querySelector("a");
        if (first) location.href = first.href;
    });
    document.addEventListener("keydown", event => {
        if (event.key === "/" && document.activeElement !== box) {
            event.preventDefault();
            box.focus();
        } else if (event.key === "Escape") {
            list.hidden = true;
            box.blur();
        }
    });
    list.addEventListener("click", () => { list.hidden = true; });
}());
