/** A word that no answer may repeat. */
export const MARKER = 'zqMARKERqz'

/** The name of the good client. */
export const BYSTANDER = 'bystander'
