/** Matches the store's own sentences about invalid values, such as `must be 1 to 100`. zod's start with a capital letter. */
export const ownSentence = /^(must|is|[a-z].* must) /;
