import { flag, shape } from '@svc/core/adapters'
import type { Reply } from './route.ts'

/** `{ ok: true }` */
export const OK = shape({ ok: flag() })

/** The media type of every JSON document. */
export const JSON_TYPE = 'application/json; charset=utf-8'

/** No limit of our own on the length of a list that the service answers with. */
export const UNBOUNDED = Number.POSITIVE_INFINITY

/** A JSON document, 200 unless told otherwise. */
export const json = (body: object, headers?: Readonly<Record<string, string>>, status = 200): Reply => ({
  status,
  body,
  headers,
})

/** 204, with no body. */
export const noContent = (headers?: Readonly<Record<string, string>>): Reply => ({ status: 204, headers })

/** A text of some media type. */
export const plain = (type: string, content: string): Reply => ({ status: 200, text: { type, content } })
