/**
 * The question whether a document of references may send the page to other servers. Escape and
 * another data set mean no.
 */

import { type AskHosts, HostsRefusedError } from "../opening/reference_hosts.js";
import { element } from "../page/element.js";

const button = (text: string, press: () => void, kind = "") =>
  element("button", { type: "button", class: kind, onclick: press }, text);

export const askForHosts: AskHosts = (document_, hosts, signal) =>
  new Promise((allow, refuse) => {
    const dialog = element("dialog", {
      class: "question",
      "aria-labelledby": "question-title",
      "aria-describedby": "question-text",
    });
    const cancel = button("Cancel", () => dialog.close("cancel"));
    dialog.append(
      element(
        "h2",
        { id: "question-title" },
        hosts.length === 1 ? "Read from another server?" : "Read from other servers?",
      ),
      element(
        "p",
        { id: "question-text" },
        `“${document_}” refers to data on ${hosts.length === 1 ? "the server" : `${hosts.length} servers:`} `,
        // A short list is part of the sentence, so that it is read aloud with it.
        element("b", {}, hosts.join(", ")),
        ". If you allow it, this page sends requests there from your computer.",
      ),
      element(
        "div",
        { class: "actions" },
        cancel,
        button("Allow", () => dialog.close("allow"), "primary"),
      ),
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
    cancel.focus();
    if (signal?.aborted) stop();
  });
