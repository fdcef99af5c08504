/**
 * The question whether a document of references may send the page to other servers. Escape and
 * another data set mean no.
 */

import { html, render } from "lit-html";
import { type AskHosts, HostsRefusedError } from "../../model/opening/reference_hosts.js";
import { button, shortened } from "../page/element.js";

function question(document_: string, hosts: readonly string[], answer: (answer: string) => void) {
  const isOne = hosts.length === 1;
  return html`<h2 id="question-title">Read from ${isOne ? "another server" : "other servers"}?</h2>
    <p id="question-text">${shortened(`“${document_}”`)} refers to data on ${
      // A short list is part of the sentence, so that it is read aloud with it.
      isOne ? "the server" : `${hosts.length} servers:`
    } <b>${shortened(hosts.join(", "))}</b>. If you allow it, this page sends requests there from your computer.</p>
    <div class="actions">
      ${button("Cancel", () => answer("cancel"))} ${button("Allow", () => answer("allow"), "primary")}
    </div>`;
}

export const askForHosts: AskHosts = (document_, hosts, signal) =>
  new Promise((allow, refuse) => {
    const dialog = document.createElement("dialog");
    dialog.className = "question";
    dialog.setAttribute("aria-labelledby", "question-title");
    dialog.setAttribute("aria-describedby", "question-text");
    render(
      question(document_, hosts, (answer) => dialog.close(answer)),
      dialog,
    );
    const stop = () => dialog.close("cancel");
    dialog.addEventListener("close", () => {
      signal?.removeEventListener("abort", stop);
      dialog.remove();
      if (dialog.returnValue === "allow") allow();
      else refuse(new HostsRefusedError(`“${document_}” refers to ${hosts.join(", ")}.`));
    });
    signal?.addEventListener("abort", stop);
    document.body.append(dialog);
    dialog.showModal();
    dialog.querySelector("button")?.focus();
    if (signal?.aborted) stop();
  });
