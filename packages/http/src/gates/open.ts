import type { Gate } from '../exchange/route.ts'

/** Admits every caller, without a rate limit. */
export const open: Gate<undefined> = { security: [], replies: {}, admit: () => undefined }
