import { ACCESS_MODES, Problem } from '@svc/core'
import {
  ACCESS_ASKED,
  ACCESS_OPENED,
  AccessRefusal,
  type AccessTicket,
  AmbiguousHost,
  listOf,
  oneOf,
  shape,
  text,
  whole,
} from '@svc/core/adapters'
import { optional } from 'superstruct'
import { jsonBody } from '../exchange/body/json-body.ts'
import { json } from '../exchange/reply.ts'
import { type Reply, route } from '../exchange/route.ts'
import { agentAccess, isStranger } from '../gates/agent-access.ts'
import { sshSession } from '../gates/ssh-session.ts'
import { INVALID } from './job-fields.ts'

const MAX_FINGERPRINT_CHARS = 512
const MAX_WAIT_SECONDS = 25

const word = text(0, 512)
const second = whole(0, Number.MAX_SAFE_INTEGER)

/** A session in the answer to its host. */
const pending = shape({
  session_id: word,
  token: text(1, 4096),
  relay_url: word,
  mode: oneOf(ACCESS_MODES),
  user: optional(word),
  command: optional(text(1, 4096)),
  cols: second,
  rows: second,
  term: word,
  operator: word,
  reason: optional(word),
  expires: word,
})

const pendingView = ({ session, token, relayUrl, expires }: AccessTicket) => ({
  session_id: session.id,
  token,
  relay_url: relayUrl,
  mode: session.mode,
  // A field that is undefined is left out of the JSON.
  user: session.user,
  command: session.command,
  cols: session.cols,
  rows: session.rows,
  term: session.term,
  operator: session.operatorLabel,
  reason: session.reason || undefined,
  expires: expires.toISOString(),
})

function fingerprintOf(given: string | undefined): string {
  if (given !== undefined && given.length <= MAX_FINGERPRINT_CHARS) return given
  const details = [`fingerprint: expected a string of 1 to ${MAX_FINGERPRINT_CHARS} characters`]
  throw new Problem('invalid-input', { details })
}

function waitOf(given = '0'): number {
  const seconds = /^\d{1,3}$/.test(given) ? Number(given) : Number.NaN
  if (seconds <= MAX_WAIT_SECONDS) return seconds
  const details = [`wait: expected a whole number from 0 to ${MAX_WAIT_SECONDS}`]
  throw new Problem('invalid-input', { details })
}

/** The kinds that this release knows: a host may know more. */
function modesOf(given: string | undefined): readonly string[] | undefined {
  const named = given?.split(',', ACCESS_MODES.length * 2)
  return named && ACCESS_MODES.filter((mode) => named.includes(mode))
}

const only = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header.join(',') : header

/** The refusals of a host that is named, in the words of the wire; undefined for every other error. */
function refusalOf(error: unknown): Reply | undefined {
  if (!(error instanceof Problem)) return undefined
  if (error instanceof AccessRefusal) {
    const { kind, lastHeartbeat } = error
    return kind === 'offline'
      ? json({ error: 'host offline', last_heartbeat: lastHeartbeat }, {}, 409)
      : json({ error: 'too many sessions' }, {}, 409)
  }
  if (error.code === 'not-found') return json({ error: 'host not found' }, {}, 404)
  if (!(error instanceof AmbiguousHost)) return undefined
  return json({ error: 'host name is ambiguous', hosts: error.hosts }, {}, 409)
}

/** Sessions of operators on hosts (spec, Access; docs/ssh.md). */
export const accessRoutes = [
  route({
    name: 'ssh.ask',
    method: 'POST',
    path: '/api/v1/access/cli-session',
    summary: 'Open a session on a host and return a ticket to the relay.',
    gate: sshSession,
    body: jsonBody(shape(ACCESS_ASKED)),
    replies: {
      201: { description: 'The session waits for its host.', body: shape(ACCESS_OPENED) },
      ...INVALID,
      404: { description: 'No such host.' },
      409: { description: 'The host is offline, has too many sessions, or its name means several.' },
    },
    handle: async ({ plane, caller: { caller, address }, body }) => {
      try {
        return json(await plane.operations.runFor(caller, 'ssh.open', body, undefined, address), {}, 201)
      } catch (error) {
        const refusal = refusalOf(error)
        if (refusal === undefined) throw error
        return refusal
      }
    },
  }),
  route({
    name: 'ssh.pending',
    method: 'GET',
    path: '/api/v1/access/pending',
    summary: 'The sessions that wait for a host; asking takes them.',
    head: false,
    gate: agentAccess,
    queryShapes: { wait: whole(0, MAX_WAIT_SECONDS) },
    query: {
      fingerprint: 'The identity of the host, 1 to 512 characters.',
      wait: 'Seconds to wait for a session, 0 to 25; 0 if absent.',
      modes: 'Kinds of sessions that the host carries, joined by commas; those for shells if absent.',
    },
    reads: {
      'X-Agent-Key': 'The Ed25519 key of the host, raw, in base64.',
      'X-Agent-Proof': '`t=<milliseconds>;sig=<base64>`: its signature for this request.',
    },
    replies: {
      200: {
        description: 'At most four sessions, and when to ask again.',
        body: shape({ sessions: listOf(pending, 4), next_poll: second }),
      },
      400: { description: 'No fingerprint, or an invalid one.' },
      403: { description: 'Not the key that the host has shown before.' },
      404: { description: 'Not a host of this license.' },
    },
    handle: async ({ plane, caller, query, headers }) => {
      const { licenseId, gone, countStranger } = caller
      const fingerprint = fingerprintOf(query.fingerprint)
      const proof = { key: only(headers['x-agent-key']), proof: only(headers['x-agent-proof']) }
      const waitSeconds = waitOf(query.wait)
      try {
        const modes = modesOf(query.modes)
        const asked = { licenseId, fingerprint, modes, waitSeconds, headers: proof, gone }
        const { tickets, nextPoll } = await plane.access.pending(asked)
        return json({ sessions: tickets.map(pendingView), next_poll: nextPoll })
      } catch (error) {
        if (isStranger(error)) await countStranger()
        throw error
      }
    },
  }),
]
