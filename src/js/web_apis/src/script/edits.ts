// Changes to a text, collected first and made at once.

interface Edit {
  start: number;
  end: number;
  text: string;
  order: number;
}

export interface Insertion {
  line: number;
  column: number; // from 1, in the new text
  length: number;
}

// At the same place, what is put in comes before what is replaced.
const isInsertion = (edit: Edit): number => (edit.end === edit.start ? 0 : 1);
const inOrder = (a: Edit, b: Edit): number =>
  a.start - b.start || isInsertion(a) - isInsertion(b) || a.order - b.order;

export class Edits {
  readonly #edits: Edit[] = [];

  insert(at: number, text: string): void {
    this.replace(at, at, text);
  }
  replace(start: number, end: number, text: string): void {
    this.#edits.push({ start, end, text, order: this.#edits.length });
  }
  blank(source: string, start: number, end: number): void {
    this.replace(start, end, source.slice(start, end).replace(/[^\r\n]/g, " "));
  }

  apply(source: string): { text: string; insertions: Insertion[] } {
    const insertions: Insertion[] = [];
    const parts: string[] = [];
    let at = 0;
    let line = 1;
    let column = 1;
    const add = (part: string) => {
      parts.push(part);
      let end = part.indexOf("\n");
      if (end >= 0) column = part.length - part.lastIndexOf("\n");
      else column += part.length;
      for (; end >= 0; end = part.indexOf("\n", end + 1)) ++line;
    };
    for (const edit of this.#edits.sort(inOrder)) {
      if (edit.start < at) continue;
      add(source.slice(at, edit.start));
      const grown = edit.text.length - (edit.end - edit.start);
      if (grown > 0) insertions.push({ line, column, length: grown });
      add(edit.text);
      at = edit.end;
    }
    add(source.slice(at));
    return { text: parts.join(""), insertions };
  }
}
