import { setFlagsFromString } from 'node:v8'

/**
 * Makes V8 count the buffers of streams to the whole heap, whose growth decides when it is collected. By
 * default every 64 MB of them start a full collection, which beside an embedded database is most of the work
 * of a stream (decision 62). An engine without the setting goes on as before.
 */
export function countBuffersWithHeap(): void {
  setFlagsFromString('--external-memory-accounted-in-global-limit')
}
