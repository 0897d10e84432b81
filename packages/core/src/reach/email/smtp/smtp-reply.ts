import type { RelayReply } from './mail-relay.ts'

/**
 * The enhanced code (RFC 3463) of a reply. It stands directly behind the reply code: numbers elsewhere are
 * addresses of hosts and names of lists. Some relays write `#` before it.
 */
const ENHANCED = /^\d{3}[ -]#?([245]\.\d{1,3}\.\d{1,3})(?![\d.])/
/** There is no such mailbox: RFC 3463, and RFC 7505 of 5.1.10. */
const NO_MAILBOX: ReadonlySet<string> = new Set(['5.1.1', '5.1.10'])
/** Codes that name no reason, so that the words count. */
const UNSAID: ReadonlySet<string> = new Set(['5.0.0', '5.1.0'])
const WORDS =
  /\bunknown (?:user|recipient|mailbox)\b|\b(?:user|mailbox|recipient)(?: [^\s@]{1,64}@[^\s@]{1,255})? (?:is )?(?:unknown|not found|does not exist)\b|\bno such (?:user|mailbox|recipient)\b/i
/** Words about the sender of the message, such as the reply of a relay that asks back whether it exists. */
const OF_SENDER = /\b(?:sender|sent:|called:)/i

const enhancedOf = ({ text }: Pick<RelayReply, 'text'>): string | undefined => ENHANCED.exec(text)?.[1]

/** Whether a refusal says that there is no such mailbox. */
export function saysNoMailbox(reply: Pick<RelayReply, 'text'>): boolean {
  const enhanced = enhancedOf(reply)
  if (enhanced !== undefined && !UNSAID.has(enhanced)) return NO_MAILBOX.has(enhanced)
  return WORDS.test(reply.text) && !OF_SENDER.test(reply.text)
}

/**
 * Whether a refused recipient may be offered again: the relay asks for that (4xx), or takes no more
 * recipients with one message; 552 is an old code for that (RFC 5321, section 4.5.3.1.10).
 */
export function isPutOff(reply: RelayReply): boolean {
  const enhanced = enhancedOf(reply)
  if (reply.code < 500 || enhanced === '5.5.3') return true
  return reply.code === 552 && (enhanced === undefined || enhanced.startsWith('5.5.'))
}
