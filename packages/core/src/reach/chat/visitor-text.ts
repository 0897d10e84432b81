import { cut } from '../../kernel/cut.ts'
import { redact } from '../../kernel/redaction/redactor.ts'

/** Most code points stored of a message (spec, Limits). */
export const MAX_MESSAGE_CHARS = 4000

const VISIBLE = /[^\s\p{Default_Ignorable_Code_Point}\p{Cc}]/u

/**
 * Returns a visitor's message as it is stored, searched for and shown to the model: trimmed, redacted, and
 * only then cut, so that no secret loses the end that identifies it. Undefined when nothing in it is visible.
 */
export function visitorText(message: string | undefined): string | undefined {
  const text = (message ?? '').replaceAll('\0', '').toWellFormed().trim()
  return VISIBLE.test(text) ? cut(redact(text), MAX_MESSAGE_CHARS) : undefined
}
