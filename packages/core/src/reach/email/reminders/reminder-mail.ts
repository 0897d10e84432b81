import { cut } from '../../../kernel/cut.ts'
import type { DueReminder } from './reminder.ts'

// A label may hold any text of an operator: nothing of it may end a line or turn the writing.
const named = (label: string): string => {
  const shown = label.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
  return shown === '' ? 'Your license' : `Your license "${cut(shown, 80)}"`
}

const DAY_MS = 86_400_000
const inDays = (days: number): string => (days === 1 ? 'within a day' : `in ${days} days`)

/** Returns the subject and the text of a reminder. `isLast`: no step comes after it. */
export function reminderMail(
  { subject: { kind, label, licenseId, basis, anchor } }: DueReminder,
  now: Date,
  isLast: boolean,
): { readonly subject: string; readonly text: string } {
  const license = named(label)
  const at = anchor.toISOString()
  const foot = `License: ${licenseId}\n`
  if (kind === 'billing_dunning') {
    const text = `The payment for it failed on ${at}. Please see to your payment details.`
    return isLast
      ? {
          subject: `${license} is about to be suspended`,
          text: `${text}\nThis is the last reminder.\n\n${foot}`,
        }
      : { subject: `${license}: the payment failed`, text: `${text}\n\n${foot}` }
  }
  if (kind === 'webhook_disabled') {
    const [endpoint] = basis.split(' ')
    const text = `Messages to your endpoint ${endpoint} failed, the last one on ${at}. Nothing is sent to it any more.`
    const way = 'See that it answers and enable it again; missed messages can be replayed.'
    return { subject: `${license}: a webhook endpoint is disabled`, text: `${text}\n${way}\n\n${foot}` }
  }
  if (anchor <= now) {
    const text = `It ended at ${at}. Its hosts are refused until it is extended.`
    return { subject: `${license} has ended`, text: `${text}\n\n${foot}` }
  }
  const left = Math.ceil((anchor.getTime() - now.getTime()) / DAY_MS)
  const text = `It ends at ${at}. Then its hosts are refused until it is extended.`
  return { subject: `${license} ends ${inDays(left)}`, text: `${text}\n\n${foot}` }
}
