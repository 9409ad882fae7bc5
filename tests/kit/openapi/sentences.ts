/** Sentences of the store on a value that it refuses, such as `must be 1 to 100`. zod's own begin with a capital. */
export const ownSentence = /^(must|is|[a-z].* must) /;
