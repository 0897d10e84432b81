import type { Log } from '@svc/core'
import { pathOf } from '../dispatch/routing.ts'

/** A path that no route has. */
const ELSEWHERE = '//'
const BASE_PATH = /^(?:\/[\w.~-]{1,64}){1,8}$/

/**
 * Returns the function that gives the path of a request target below a base path. Without one it is the whole
 * path.
 * @throws TypeError for a base path that is none
 */
export function pathsBelow(basePath: string | undefined): (target: string) => string {
  if (basePath === undefined) return pathOf
  if (!BASE_PATH.test(basePath))
    throw new TypeError(`basePath: expected a path such as /svc, without a slash at its end, got ${basePath}`)
  const start = `${basePath}/`
  return (target) => {
    const path = pathOf(target)
    return path.startsWith(start) ? path.slice(basePath.length) : ELSEWHERE
  }
}

/** Segments before a path that a wrong mount may have put there, and their characters. */
const MOST_SEGMENTS = 4
const MOST_CHARACTERS = 64

/** Says once when requests come under another base path than the service is mounted under. */
export class Misplaced {
  readonly #log: Log
  readonly #knows: (path: string) => boolean
  readonly #basePath: string | undefined
  #isTold = false

  /** `knows`: whether a route serves a path below the base path. */
  constructor(log: Log, knows: (path: string) => boolean, basePath: string | undefined) {
    this.#log = log
    this.#knows = knows
    this.#basePath = basePath
  }

  /** Looks at the target of a request that no route serves. */
  note(target: string): void {
    if (this.#isTold) return
    const path = pathOf(target)
    const prefix = this.#prefixOf(path)
    if (prefix === undefined) return
    this.#isTold = true
    const facts = { prefix, basePath: this.#basePath }
    this.#log.warn(
      facts,
      'requests for known paths come under another prefix: mount it there, or set basePath',
    )
  }

  #prefixOf(path: string): string | undefined {
    if (this.#basePath !== undefined && this.#knows(path)) return ''
    let at = 0
    for (let segments = 0; segments < MOST_SEGMENTS; segments += 1) {
      at = path.indexOf('/', at + 1)
      if (at < 1 || at > MOST_CHARACTERS) return undefined
      if (!this.#knows(path.slice(at))) continue
      // The path is a stranger's text: it gets into the log only as somebody could have mounted it.
      const prefix = path.slice(0, at)
      return BASE_PATH.test(prefix) ? prefix : undefined
    }
    return undefined
  }
}
