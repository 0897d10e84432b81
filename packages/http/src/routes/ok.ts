import { flag, shape } from '@svc/core/adapters'

/** `{ ok: true }` */
export const OK = shape({ ok: flag() })
