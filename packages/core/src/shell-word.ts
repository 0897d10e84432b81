const SAFE = /^[\w@%+=:,./-]+$/

/**
 * `text` as one word of a POSIX shell, for commands that people copy: a name that came from outside can
 * neither end the command nor add another one.
 */
export const shellWord = (text: string): string =>
  SAFE.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
