import type { PinnedAnswer } from '../../platform/net/pinned-host.ts'
import { murmur3 } from './murmur3.ts'

type Answer = Extract<PinnedAnswer, { ok: true }>

/** Shape of an answer. It tells a page that answers everything. */
export interface PageShape {
  readonly status: number
  readonly type: string
  readonly length: number
  readonly simhash: number
}

const BITS = 32
/** Differing bits of two pages that are alike. */
const ALIKE_BITS = 6
const ALIKE_LENGTH = 0.05

/** The type of an answer, without its parameters. */
export const typeOf = ({ headers }: Pick<Answer, 'headers'>): string =>
  (headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''

/** Returns the shape of an answer. */
export const shapeOf = (answer: Answer): PageShape => ({
  status: answer.status,
  type: typeOf(answer),
  length: answer.body.length,
  simhash: simhash(answer.body.toString('latin1')),
})

/** Whether two answers are the same page, apart from parts that change from request to request. */
export function isAlike(one: PageShape, other: PageShape): boolean {
  if (one.status !== other.status || one.type !== other.type) return false
  const longer = Math.max(one.length, other.length, 1)
  if (Math.abs(one.length - other.length) / longer > ALIKE_LENGTH) return false
  return bitsOf(one.simhash ^ other.simhash) <= ALIKE_BITS
}

/** A digest of the words of a text: texts that share most words share most of its bits. */
function simhash(text: string): number {
  const votes = new Array<number>(BITS).fill(0)
  for (const [word] of text.matchAll(/[^\s<>"'=/]{2,}/g)) {
    const hash = murmur3(Buffer.from(word))
    for (let bit = 0; bit < BITS; bit += 1) votes[bit] = (votes[bit] ?? 0) + ((hash >>> bit) & 1 ? 1 : -1)
  }
  return votes.reduce((digest, vote, bit) => (vote > 0 ? digest | (1 << bit) : digest), 0) >>> 0
}

function bitsOf(value: number): number {
  let count = 0
  for (let rest = value >>> 0; rest !== 0; rest >>>= 1) count += rest & 1
  return count
}
