import { flag, shape } from '@svc/core'

/** `{ ok: true }` */
export const OK = shape({ ok: flag() })
