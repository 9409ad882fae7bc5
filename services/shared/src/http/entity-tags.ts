// Lists of entity tags, of the client's making: each function looks for what it needs, and builds no list.

/** `*` among them: any state. */
const anyState = /(?:^|,)\s*\*\s*(?:,|$)/;
const beginsHere = /(?<=(?:^|,)\s*)/y;
const endsHere = /\s*(?:,|$)/y;

/** Tells whether a list of entity tags (RFC 9110, 13.1) names this one as it is written, or is or has `*`. */
export const matchesTag = (list: string, tag: string): boolean => lists(list, tag) || anyState.test(list);

/** The same where a weak tag is as good (RFC 9110, 8.8.3.2). */
export const matchesWeakly = (list: string, tag: string): boolean => matchesTag(list, tag) || lists(list, `W/${tag}`);

function lists(list: string, tag: string): boolean {
  for (let at = list.indexOf(tag); at !== -1; at = list.indexOf(tag, at + tag.length)) {
    beginsHere.lastIndex = at;
    endsHere.lastIndex = at + tag.length;
    if (beginsHere.test(list) && endsHere.test(list)) return true;
  }
  return false;
}
