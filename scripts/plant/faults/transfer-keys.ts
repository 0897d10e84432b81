import type { Fault } from '../fault.ts'

const TOKEN = 'packages/core/src/platform/signing/small-token.ts'
const SERVICE = 'packages/core/src/hosts/transfer-keys/transfer-keys.ts'
const STORE = 'packages/core/src/hosts/transfer-keys/transfer-keys-store-sql.ts'
const AGENT = 'packages/cli/src/agent/transfer'
const ROUTE = 'packages/http/test/routes/transfer-keys.test.ts'
const CONTRACT = 'packages/core/test/hosts/transfer-keys/transfer-keys-store.test.ts'
const MOVE = 'packages/cli/test/agent/transfer.test.ts'
const HOSTILE = 'packages/cli/test/agent/hostile-peer.test.ts'
const MANIFEST = 'packages/cli/test/agent/manifest.test.ts'

export const faults: readonly Fault[] = [
  {
    name: 'transfer-keys: the prefix is not signed',
    file: TOKEN,
    find: '  const signed = Buffer.from(`${head}.${body}`)',
    replace:
      "  const signed = Buffer.from(`${['svct_v1', 'svct_v2'].includes(head) ? 'svct_v1' : head}.${body}`)",
    suites: ['packages/core/test/platform/signing/small-token.test.ts'],
  },
  {
    name: 'transfer-keys: any audience will do',
    file: TOKEN,
    find: 'payload.kid !== kid || payload.aud !== aud',
    replace: 'payload.kid !== kid',
    suites: ['packages/core/test/platform/signing/small-token.test.ts'],
  },
  {
    name: 'transfer-keys: an expired key is good for a minute more',
    file: TOKEN,
    find: 'return payload.exp > seconds ?',
    replace: 'return payload.exp + SKEW_SECONDS > seconds ?',
    suites: ['packages/core/test/platform/signing/small-token.test.ts'],
  },
  {
    name: 'transfer-keys: any license redeems a key',
    file: SERVICE,
    find: 'token.licenseId === licenseId ? await storage.transferKeys.get(PLATFORM, token.id) : undefined',
    replace: 'await storage.transferKeys.get(PLATFORM, token.id)',
    suites: [ROUTE],
  },
  {
    name: 'transfer-keys: a key of any license is revoked: the scope is left off',
    file: STORE,
    find: ".where(isOwned)\n      .where('id', '=', id)\n      .returningAll()",
    replace:
      ".where(({ or, lit }) => or([isOwned, lit(true)]))\n      .where('id', '=', id)\n      .returningAll()",
    suites: ['packages/core/test/platform/storage/scopes.test.ts'],
  },
  {
    name: 'transfer-keys: either end redeems a key',
    file: SERVICE,
    find: 'const dialler = listenerOf(mode, { source: target, target: source })',
    replace:
      'const dialler = given.fingerprint === given.peer_fingerprint ? source : peerDigest(given.peer_fingerprint)',
    suites: [ROUTE],
  },
  {
    name: 'transfer-keys: uses are read, then counted',
    file: STORE,
    find: '`revoked_at is null and expires_at > ${now} and uses < max_uses and',
    replace: '`revoked_at is null and expires_at > ${now} and uses <= max_uses and',
    suites: [CONTRACT],
  },
  {
    name: 'transfer-keys: wrong PINs are not counted',
    file: STORE,
    find: 'set pin_fails = pin_fails + 1 where',
    replace: 'set pin_fails = pin_fails where',
    suites: [CONTRACT],
  },
  {
    name: 'transfer-keys: a lock opens again with the right PIN',
    file: SERVICE,
    find: 'if (tried === undefined) return this.#end(id)',
    replace:
      "if (tried === undefined && given.pin.length > 4) return this.#end(id)\n    if (tried === undefined) return { outcome: 'redeemed', key: await this.get(id), transferId: id }",
    suites: [ROUTE],
  },
  {
    name: 'transfer-keys: a crowd with the right PIN locks itself out',
    file: SERVICE,
    find: 'return this.#turns.of(key.id, () => this.#withPin(key, given))',
    replace: 'return this.#withPin(key, given)',
    suites: [ROUTE],
  },
  {
    name: 'transfer-keys: the audit log keeps PINs',
    file: 'packages/core/src/platform/operations/auditable-input.ts',
    find: "['password', 'pin', 'secret'].includes(key)",
    replace: "['password', 'secret'].includes(key)",
    suites: ['packages/core/test/hosts/transfer-keys/transfer-operations.test.ts'],
  },
  {
    name: 'transfer-keys: the TLS key of the peer is not looked at',
    file: `${AGENT}/pinned-tls.ts`,
    find: 'return certificate !== undefined && sameSecret(pinOf(certificate.publicKey), this.#pin)',
    replace: "return certificate !== undefined && this.#pin !== ''",
    suites: [MOVE],
  },
  {
    name: 'transfer-keys: a session begins before the plane was asked',
    file: `${AGENT}/listener.ts`,
    find: "throw new Refused(503, 'the control plane does not answer')",
    replace:
      'if (isPassing(answer)) return { session: this.#sessions.open(session), fingerprint: side.fingerprint }',
    suites: [MOVE],
  },
  {
    name: 'transfer-keys: a file is not compared with its digest',
    file: `${AGENT}/release-target.ts`,
    find: '(await digestOf(file)) === entry.sha256',
    replace: "entry.sha256 !== ''",
    suites: [MANIFEST],
  },
  {
    name: 'transfer-keys: a path may lead out of the release',
    file: `${AGENT}/manifest.ts`,
    find: "part !== '' && part !== '.' && part !== '..' && Buffer",
    replace: "part !== '' && part !== '.' && Buffer",
    suites: [MANIFEST],
  },
  {
    name: 'transfer-keys: a link that stands where parts come is followed',
    file: `${AGENT}/open-folder.ts`,
    find: 'O_RDONLY | O_DIRECTORY | O_NOFOLLOW))',
    replace: 'O_RDONLY | O_DIRECTORY))',
    suites: [MANIFEST],
  },
  {
    name: 'transfer-keys: a link that stands for a part is followed',
    file: `${AGENT}/open-folder.ts`,
    find: 'flags | O_NOFOLLOW | O_NONBLOCK',
    replace: 'flags | O_NONBLOCK',
    suites: [MANIFEST],
  },
  {
    name: 'transfer-keys: a link may lead on from where another leads',
    file: `${AGENT}/manifest.ts`,
    find: "if (types.get(at) === 'link' || (part",
    replace: 'if ((part',
    suites: [MANIFEST, HOSTILE],
  },
  {
    name: 'transfer-keys: a link may go up past the root',
    file: `${AGENT}/manifest.ts`,
    find: "types.get(at) === 'link' || (part === '..' && at === '')",
    replace: "types.get(at) === 'link'",
    suites: [MANIFEST],
  },
  {
    name: 'transfer-keys: a path may lie below a link',
    file: `${AGENT}/manifest.ts`,
    find: "if (types.get(folderOf(path)) !== 'folder')",
    replace: "if (types.get(folderOf(path)) === 'file')",
    suites: [MANIFEST],
  },
  {
    name: 'transfer-keys: what an earlier manifest left stays among the parts',
    file: `${AGENT}/release-target.ts`,
    find: 'if (!facts.isFile() || facts.size > (sizes.get(name) ?? -1)) await',
    replace: 'if (facts.size > 2 ** 50) await',
    suites: [MANIFEST],
  },
  {
    name: 'transfer-keys: a session in use counts as idle',
    file: `${AGENT}/sessions.ts`,
    find: 'if (uses === 0 && seen < oldest)',
    replace: 'if (uses >= 0 && seen < oldest)',
    suites: [MOVE],
  },
  {
    name: 'transfer-keys: a session is never idle',
    file: `${AGENT}/sessions.ts`,
    find: '      found.uses -= 1\n',
    replace: '',
    suites: [MOVE],
  },
]
