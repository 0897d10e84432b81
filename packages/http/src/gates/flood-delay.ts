import { setTimeout as pause } from 'node:timers/promises'

/** With this delay, 64 connections that send without pause get 250 refusals a second, instead of 17,000. */
const DELAY_MS = 250
/**
 * Most requests delayed at the same time. Further ones are answered without delay, so that pipelined requests
 * cannot fill the memory.
 */
const MAX_DELAYED = 1000

let waiting = 0

/**
 * Delays the refusal of a flooding client: immediate refusals would take the processor time of all other
 * clients.
 */
export async function delayRefusal(): Promise<void> {
  if (waiting >= MAX_DELAYED) return
  waiting += 1
  await pause(DELAY_MS)
  waiting -= 1
}
