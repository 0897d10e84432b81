/** No limit of our own on the length of a list that the service answers with. */
export const LISTED = Number.POSITIVE_INFINITY
