/** What all example pages share: the way back to the index, and the page's own code below it. */

const back = document.createElement("nav");
back.innerHTML = '<a href="./">All examples</a>';
document.body.prepend(back);

/** The files whose code is shown: the page, and those that it names in `data-also`. */
const { also = "", source = location.href } = document.body.dataset;
const files = [source, ...also.split(" ").filter(Boolean)];
for (const wide of document.querySelectorAll(".wide")) wide.tabIndex = 0; // it may scroll

const code = document.createElement("section");
code.innerHTML = "<h2>The code</h2>";
document.querySelector("main").append(code);
for (const file of files) {
  const text = await (await fetch(file)).text();
  const listing = document.createElement("pre");
  listing.tabIndex = 0;
  listing.role = "region";
  listing.ariaLabel = `Code of ${new URL(file, location.href).pathname.split("/").pop()}`;
  listing.textContent = text.trim();
  code.append(listing);
}
