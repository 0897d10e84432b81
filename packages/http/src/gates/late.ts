import { setTimeout as pause } from 'node:timers/promises'

/** 64 connections of one license that send without pause get 250 refusals a second so, instead of 17,000. */
const LATE_MS = 250
/**
 * Kept waiting at once; more are answered at once, so that nobody fills the memory with pipelined requests.
 */
const MAX_LATE = 1000

let waiting = 0

/**
 * Keeps who floods waiting before a refusal: refusing as fast as they ask would take the time of all others.
 */
export async function keepWaiting(): Promise<void> {
  if (waiting >= MAX_LATE) return
  waiting += 1
  await pause(LATE_MS)
  waiting -= 1
}
