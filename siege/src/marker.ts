/** A word that no answer may repeat. */
export const MARKER = 'zqMARKERqz'

/** What the good client calls itself. */
export const BYSTANDER = 'bystander'
