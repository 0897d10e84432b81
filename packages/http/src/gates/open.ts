import type { Gate } from '../route.ts'

/** Everybody, as often as they like. */
export const open: Gate<undefined> = { security: [], replies: {}, admit: () => undefined }
