import { fileURLToPath } from 'node:url'

/** The agent's handlers that come with this package. */
export const HANDLERS_FOLDER = fileURLToPath(new URL('../handlers', import.meta.url))
