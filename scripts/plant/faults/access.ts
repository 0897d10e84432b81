import type { Fault } from '../fault.ts'

const ACCESS = 'packages/core/src/hosts/access'
const SQL = `${ACCESS}/access-statements-sql.ts`
const RELAY = 'packages/cli/src/relay'
const STORE = ['packages/core/test/hosts/access/access-sessions-store.test.ts']
const SERVICE = ['packages/core/test/hosts/access/access.test.ts']
const TICKETS = ['packages/core/test/hosts/access/relay-token.test.ts']
const PROOFS = ['packages/core/test/work/agents/agent-proof.test.ts']
const ROUTES = ['packages/http/test/routes/access.test.ts']
const SOCKETS = ['packages/cli/test/relay/relay.test.ts']
const HOST = 'packages/cli/src/agent/access'
const HOSTS = ['packages/cli/test/relay/host-sessions.test.ts']
const SSH = 'packages/cli/src/commands/ssh'
const CONFIG = ['packages/cli/test/commands/ssh-config.test.ts']

/** Mistakes about sessions on hosts. */
export const faults: readonly Fault[] = [
  {
    name: 'access: a session on any license’s host is ended: the scope is left off',
    file: 'packages/core/src/hosts/access/access-statements-sql.ts',
    find: "\n    .where(isOwned)\n    .where('id', '=', id)\n    .where(IS_LIVE)",
    replace: "\n    .where('id', '=', id)\n    .where(IS_LIVE)",
    suites: [
      'packages/core/test/hosts/access/access.test.ts',
      'packages/http/test/authorization/tenants.test.ts',
    ],
  },
  {
    name: 'access: a session is handed to any host of its license',
    file: SQL,
    find: "where ${isLive()} and license_id = $1 and fingerprint = $2 and ${isDue('$4')}",
    replace: "where ${isLive()} and license_id = $1 and ($2::text is not null) and ${isDue('$4')}",
    suites: STORE,
  },
  {
    name: 'access: an answer that was lost is never given again',
    file: SQL,
    find: "state = 'claimed' and agent_at is null",
    replace: "state = 'none' and agent_at is null",
    suites: STORE,
  },
  {
    name: 'access: a ticket opens twice',
    file: SQL,
    find: 'operator_jti = $3 and operator_at is null end',
    replace: 'operator_jti = $3 end',
    suites: STORE,
  },
  {
    name: 'access: a command stays when its session has ended',
    file: SQL,
    find: 'update access_sessions set command = null, bytes_in = $4',
    replace: 'update access_sessions set bytes_in = $4',
    suites: STORE,
  },
  {
    name: 'access: a session outlives the permission of its operator',
    file: SQL,
    find: "u.role = any(string_to_array(${ofMode('$2', '$5')}, ' '))",
    replace: "${ofMode('$2', '$5')} is not null",
    suites: STORE,
  },
  {
    name: 'access: a second key of a host is taken',
    file: SQL,
    find: "when access_key <> $3 then 'mismatch'",
    replace: "when access_key <> $3 then 'accepted'",
    suites: STORE,
  },
  {
    name: 'access: a proof is good twice',
    file: SQL,
    find: 'when access_proof_ms >= $4',
    replace: 'when access_proof_ms > $4',
    suites: STORE,
  },
  {
    name: 'access: a ticket is good half a minute longer',
    file: `${ACCESS}/relay-token.ts`,
    find: 'leewaySeconds: 0',
    replace: 'leewaySeconds: 30',
    suites: TICKETS,
  },
  {
    name: 'access: a ticket opens the other side',
    file: `${ACCESS}/relay-token.ts`,
    find: 'ticket === undefined || ticket.role !== role',
    replace: "ticket === undefined || role === ('nobody' as never)",
    suites: TICKETS,
  },
  {
    name: 'access: a proof is good for another host',
    file: 'packages/core/src/work/agents/agent-proof.ts',
    find: 'Buffer.from(`${request}\\n${fingerprint}\\n${atMs}`)',
    replace: 'Buffer.from(`${request}\\n${fingerprint.slice(0, 2)}\\n${atMs}`)',
    suites: PROOFS,
  },
  {
    name: 'access: an old proof is good',
    file: 'packages/core/src/work/agents/agent-proof.ts',
    find: 'if (Math.abs(atMs - now.getTime()) > PROOF_WINDOW_MS)',
    replace: 'if (atMs - now.getTime() > PROOF_WINDOW_MS)',
    suites: PROOFS,
  },
  {
    name: 'access: a session is opened on a host that is silent',
    file: `${ACCESS}/access.ts`,
    find: '<= 1000 * REACH_SECONDS',
    replace: '<= 10_000 * REACH_SECONDS',
    suites: SERVICE,
  },
  {
    name: 'access: a drain lets hosts wait on',
    file: `${ACCESS}/access-waiters.ts`,
    find: 'for (const key of this.#waiting.keys()) this.#wake(key)',
    replace: 'void this.#waiting',
    suites: SERVICE,
  },
  {
    name: 'access: without a relay the body is read first',
    file: 'packages/http/src/gates/ssh-session.ts',
    find: '    request.plane.access.requireRelay()\n',
    replace: '',
    suites: ROUTES,
  },
  {
    name: 'access: hosts that a license does not have are not counted',
    file: 'packages/http/src/routes/access.ts',
    find: 'if (isStranger(error)) await countStranger()',
    replace: 'if (isStranger(error)) void countStranger',
    suites: ROUTES,
  },
  {
    name: 'relay: a page of another site may connect',
    file: `${RELAY}/relay.ts`,
    find: 'if (origin !== undefined && !this.#origins.includes(origin))',
    replace: "if (origin === 'never')",
    suites: SOCKETS,
  },
  {
    name: 'relay: bytes pass before both sides are there',
    file: `${RELAY}/relay-session.ts`,
    find: '    if (!this.#isReady) {\n      this.end',
    replace: '    if (this.#isOver) {\n      this.end',
    suites: SOCKETS,
  },
  {
    name: 'relay: a side that the other one does not follow is read on',
    file: `${RELAY}/relay-session.ts`,
    find: '      from.socket.pause()\n',
    replace: '',
    suites: SOCKETS,
  },
  {
    name: 'relay: a revoked session goes on',
    file: `${RELAY}/relay.ts`,
    find: "this.#sessions.get(sid)?.end('revoked')",
    replace: 'void sid',
    suites: SOCKETS,
  },
  {
    name: 'relay: a side may speak for the relay',
    file: `${RELAY}/relay-session.ts`,
    find: "if (!this.#isReady || control.t === 'ready' || control.t === 'bye') return",
    replace: 'if (!this.#isReady) return',
    suites: SOCKETS,
  },
  {
    name: 'relay: keys that are typed are recorded',
    file: `${RELAY}/relay-session.ts`,
    find: '      this.#bytesIn += data.length\n',
    replace: '      this.#bytesIn += data.length\n      this.#recording?.output(data)\n',
    suites: SOCKETS,
  },
  {
    name: 'relay: a recording is for everybody',
    file: `${RELAY}/recording.ts`,
    find: "{ flags: 'wx', mode: 0o600 }",
    replace: "{ flags: 'wx', mode: 0o644 }",
    suites: SOCKETS,
  },
  {
    name: 'relay: a side sends on without credit',
    file: `${RELAY}/relay-peer.ts`,
    find: 'next !== undefined && next.length <= this.#credit',
    replace: 'next !== undefined',
    suites: HOSTS,
  },
  {
    name: 'access: a policy that others can write is followed',
    file: `${HOST}/access-policy.ts`,
    find: 'mode & SHARED_WRITE || ',
    replace: '',
    suites: HOSTS,
  },
  {
    name: 'access: a session runs as a user that the policy does not list',
    file: `${HOST}/session-user.ts`,
    find: 'if (!isListed)',
    replace: 'if (!isListed && named === undefined)',
    suites: HOSTS,
  },
  {
    name: 'access: a session of another user keeps the rights of the agent',
    file: `${HOST}/session-user.ts`,
    find: '...(isOther ? ids : [])',
    replace: '...(isOther ? [] : [])',
    suites: HOSTS,
  },
  {
    name: 'access: a host keeps to the policy under which it began to wait',
    file: `${HOST}/host-session.ts`,
    find: 'if (policy !== undefined) return policy\n',
    replace:
      "if (policy !== undefined || fault === undefined) return policy ?? { modes: ['shell', 'exec'], users: [], tcpPort: 22 }\n",
    suites: HOSTS,
  },
  {
    name: 'access: the people of one tenant take every session',
    file: `${ACCESS}/access-room.ts`,
    find: '...(isOfTenant && { ofTenants',
    replace: '...(isOfTenant && perHost === 0 && { ofTenants',
    suites: SERVICE,
  },
  {
    name: 'access: the people of all tenants leave no session to staff',
    file: `${ACCESS}/access-room.ts`,
    find: 'total: total - tenth }',
    replace: 'total }',
    suites: SERVICE,
  },
  {
    name: 'access: sessions of staff take the share of a tenant',
    file: SQL,
    find: "${isLive('s.')} and ((s.operator_kind = 'user'",
    replace: "${isLive('s.')} and (s.operator_kind = 'user' or (s.operator_kind = 'user'",
    suites: STORE,
  },
  {
    name: 'access: a person opens sessions without end',
    file: `${ACCESS}/access-operations.ts`,
    find: 'perMinute: 20,\n    input: { ...ASKED',
    replace: 'perMinute: 2000,\n    input: { ...ASKED',
    suites: SERVICE,
  },
  {
    name: 'ssh config: a host takes a name of the outside',
    file: `${SSH}/ssh-config.ts`,
    find: '[`${hostname}${SUFFIX}`, label, id]',
    replace: '[`${hostname}`, label, id]',
    suites: CONFIG,
  },
  {
    name: 'ssh config: OpenSSH expands what belongs to a folder',
    file: `${SSH}/ssh-config.ts`,
    find: ".replaceAll('%', '%%')",
    replace: '',
    suites: CONFIG,
  },
  {
    name: 'ssh config: two hosts of a name are both called that',
    file: `${SSH}/ssh-config.ts`,
    find: 'uses.get(name.toLowerCase()) === 1',
    replace: 'uses.has(name.toLowerCase())',
    suites: CONFIG,
  },
  {
    name: 'ssh config: ours is included last',
    file: `${SSH}/own-config-file.ts`,
    find: '[LINE, own]',
    replace: '[own, LINE]',
    suites: CONFIG,
  },
  {
    name: 'ssh config: each write includes it once more',
    file: `${SSH}/own-config-file.ts`,
    find: 'if (!own.subarray(0, LINE.length).equals(LINE))',
    replace: 'if (own.length >= 0)',
    suites: CONFIG,
  },
  {
    name: 'relay: a recording is as long as a session',
    file: `${RELAY}/recording.ts`,
    find: 'if (this.#written > (this.#parts.mostBytes ?? MAX_BYTES)) {',
    replace: 'if (this.#written > MAX_BYTES * 2 ** 20) {',
    suites: ['packages/cli/test/relay/recording.test.ts'],
  },
  {
    name: 'relay: a session whose host prints is never idle',
    file: `${RELAY}/relay-session.ts`,
    find: '      this.#bytesOut += data.length\n',
    replace: '      this.#bytesOut += data.length\n      this.#typedMs = performance.now()\n',
    suites: SOCKETS,
  },
  {
    name: 'relay: a session is never idle',
    file: `${RELAY}/relay-session.ts`,
    find: "if (left <= 0) this.end('idle')",
    replace: "if (left <= -(2 ** 40)) this.end('idle')",
    suites: SOCKETS,
  },
  {
    name: 'agent: its license key stays in /proc',
    file: 'packages/cli/src/terminal/own-environment.ts',
    find: 'if (isShown) overwrite(name)',
    replace: "if (isShown && name === '') overwrite(name)",
    suites: ['packages/cli/test/process/own-environment.test.ts'],
  },
]
