/** A word that no answer may repeat. */
export const MARKER = 'zqMARKERqz'
