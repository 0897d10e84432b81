/** The options that every program has, as the help shows them. */
export const VERSION_OPTION = ['-V, --version', 'print the version'] as const
export const HELP_OPTION = ['-h, --help', 'show this help'] as const
export const HELP_COMMAND = ['help [command...]', 'show the help of a command'] as const
