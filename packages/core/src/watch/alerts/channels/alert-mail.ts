import { cut } from '../../../kernel/cut.ts'
import { type AlertDelivery, MAX_DIGEST_ALERTS } from './alert-channels.ts'
import type { AlertNotice } from './alert-deliveries-store.ts'

const MAX_SUBJECT_CHARS = 160
const WORDS = { firing: 'firing', flapping: 'flapping', resolved: 'resolved' } as const

// Summaries name hosts as these name themselves: nothing of them may end a line or turn the writing.
const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()

const lineOf = ({ transition, alert }: AlertNotice): string => {
  const { kind, severity, summary, id, startsAt } = alert
  const what = oneLine(summary)
  return `${WORDS[transition]}: ${what}\n  ${severity}, ${kind}, since ${startsAt.toISOString()}\n  svc alerts show ${id}`
}

function subjectOf(notices: readonly AlertNotice[]): string {
  const [first] = notices
  if (first !== undefined && notices.length === 1)
    return `[svc] ${WORDS[first.transition]}: ${oneLine(first.alert.summary)}`
  const counts = Object.entries(WORDS).flatMap(([transition, word]) => {
    const count = notices.filter((notice) => notice.transition === transition).length
    return count === 0 ? [] : [`${count} ${word}`]
  })
  return `[svc] alerts: ${counts.join(', ')}`
}

/** Returns the subject and the text of a digest, for people. */
export function digestMail({ notices }: AlertDelivery): { readonly subject: string; readonly text: string } {
  const shown = notices.slice(0, MAX_DIGEST_ALERTS).map(lineOf)
  const rest = notices.length - shown.length
  const more = rest > 0 ? [`and ${rest} more: svc alerts list`] : []
  return {
    subject: cut(subjectOf(notices), MAX_SUBJECT_CHARS),
    text: `${[...shown, ...more].join('\n\n')}\n`,
  }
}
