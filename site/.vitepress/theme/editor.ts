/** The editor of a block: CodeMirror with JavaScript, and no more of it than that needs. */
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { javascript } from "@codemirror/lang-javascript";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** Colours of the page's style sheet, which change with light and dark. */
const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: "var(--code-keyword)" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-number)" },
  { tag: tags.comment, color: "var(--code-comment)" },
  {
    tag: [tags.function(tags.variableName), tags.function(tags.propertyName)],
    color: "var(--code-function)",
  },
]);

export interface Editor {
  readonly text: string;
  focus(): void;
  destroy(): void;
}

/** Puts an editor into an element. `run` is called by Ctrl+Enter or Cmd+Enter. */
export function openEditor(parent: HTMLElement, text: string, run: () => void): Editor {
  const runKey = {
    key: "Mod-Enter",
    run() {
      run();
      return true;
    },
  };
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        javascript({ typescript: true }),
        syntaxHighlighting(colours),
        EditorView.contentAttributes.of({ "aria-label": "Code of the block" }),
        keymap.of([runKey, ...defaultKeymap, ...historyKeymap, indentWithTab]),
      ],
    }),
  });
  return {
    get text() {
      return view.state.doc.toString();
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}
