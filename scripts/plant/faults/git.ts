import type { Fault } from '../fault.ts'

const CREDENTIALS = 'packages/core/src/work/git/webhook-credentials.ts'
const CREDENTIAL_SUITE = 'packages/core/test/work/git/webhook-credentials.test.ts'
const HANDED = 'packages/core/src/work/git/git-credentials.ts'
const HOOK = 'packages/core/src/work/git/git-hook.ts'
const PARTS = 'packages/core/src/work/git/part-pattern.ts'
const GLOBS = 'packages/core/src/work/git/path-globs.ts'
const RULES = 'packages/core/test/work/git/git-hook.test.ts'
const DELIVERY = 'packages/core/src/work/git/push/push-delivery.ts'
const VERDICT = 'packages/core/src/work/git/push/push-verdict.ts'
const PUSHES = 'packages/http/test/git/git-pushes.test.ts'
const ORDER = 'packages/http/test/git/git-order.test.ts'
const HOOKS = 'packages/http/test/git/git-hooks.test.ts'
const HANDLER = 'packages/cli/handlers/deploy'
const GIT = 'packages/cli/handlers/git.sh'
const FETCH = 'packages/cli/test/agent/deploy-fetch.test.ts'
const AGENT = 'packages/cli/test/agent/deploy-git-hooks.test.ts'

export const faults: readonly Fault[] = [
  {
    name: 'git: a place of a filter is tried as often as ways lead to it',
    file: PARTS,
    find: 'if (marks[at] === round) return',
    replace: '',
    suites: [RULES],
  },
  {
    name: 'git: steps of a filter are not counted',
    file: PARTS,
    find: 'spent.steps += reached.length',
    replace: '',
    suites: [RULES],
  },
  {
    name: 'git: a path without wildcards is a file alone',
    file: GLOBS,
    find: 'globMatcher(/[*?[{]/.test(glob) ? glob : `${glob}/**`)',
    replace: 'globMatcher(glob)',
    suites: [RULES],
  },
  {
    name: 'git: a right credential makes up for a wrong signature',
    file: CREDENTIALS,
    find: 'if (verdicts.length > 0) return verdicts.every(Boolean)',
    replace: 'if (verdicts.some(Boolean)) return true',
    suites: [CREDENTIAL_SUITE],
  },
  {
    name: 'git: one right signature makes up for a wrong one',
    file: CREDENTIALS,
    find: 'return verdicts.every(Boolean)',
    replace: 'return verdicts.some(Boolean)',
    suites: [CREDENTIAL_SUITE],
  },
  {
    name: 'git: a signed message never grows old',
    file: CREDENTIALS,
    find: 'if (Math.abs(now.getTime() / 1000 - Number(seconds)) > SIGNED_SECONDS) return false',
    replace: 'if (Number(seconds) > now.getTime() / 1000 + SIGNED_SECONDS) return false',
    suites: [CREDENTIAL_SUITE],
  },
  {
    name: 'git: an unset secret is a secret',
    file: CREDENTIALS,
    find: "stored.filter((secret) => secret !== '')",
    replace: 'stored.filter(() => true)',
    suites: [CREDENTIAL_SUITE],
  },
  {
    name: 'git: an ssh address may begin a host with a dash',
    file: HOOK,
    find: "hostname === '' || hostname.startsWith('-')",
    replace: "hostname === ''",
    suites: [RULES],
  },
  {
    name: 'git: credentials go with jobs for any address',
    file: HANDED,
    find: 'hook.repoUrl !== repoUrl',
    replace: 'repoUrl === undefined',
    suites: [HOOKS],
  },
  {
    name: 'git: credentials go with jobs of any license',
    file: HANDED,
    find: 'gitHooks.get(ofLicense(licenseId), hookId)',
    replace: "gitHooks.get({ of: 'platform' }, hookId)",
    suites: [HOOKS],
  },
  {
    name: 'git: scope left off what finds hooks',
    file: 'packages/core/src/work/git/git-hooks-store-sql.ts',
    find: '.where(isOwned)\n    .where(sql<SqlBool>`(id',
    replace: '.where(({ or, lit }) => or([isOwned, lit(true)]))\n    .where(sql<SqlBool>`(id',
    suites: ['packages/core/test/platform/storage/scopes.test.ts'],
  },
  {
    name: 'git: the header of GitHub hides those of Gitea',
    file: 'packages/core/src/work/git/push/read-push.ts',
    find: 'for (const { provider, eventHeaders, idHeaders, whatOf, bodyOf } of KINDS) {',
    replace: 'for (const { provider, eventHeaders, idHeaders, whatOf, bodyOf } of KINDS.toReversed()) {',
    suites: [PUSHES],
  },
  {
    name: 'git: only the first change of a push counts',
    file: DELIVERY,
    find: 'for (const ref of push.refs) judged.push(',
    replace: 'for (const ref of push.refs.slice(0, 1)) judged.push(',
    suites: [PUSHES],
  },
  {
    name: 'git: paths count although the list of commits is cut',
    file: VERDICT,
    find: 'if (!ref.isWhole || paths',
    replace: 'if (paths',
    suites: [PUSHES],
  },
  {
    name: 'git: one message to skip is enough',
    file: VERDICT,
    find: 'ref.commits.every(({ message })',
    replace: 'ref.commits.some(({ message })',
    suites: [PUSHES],
  },
  {
    name: 'git: a failed delivery is never done again',
    file: DELIVERY,
    find: "if (job !== undefined && job.state !== 'failed') return",
    replace: 'if (job !== undefined) return',
    suites: [ORDER],
  },
  {
    name: 'git: what was superseded comes back',
    file: DELIVERY,
    find: "if (job?.cancel?.reason.startsWith(SUPERSEDED)) return { ignored: 'stale', jobId }",
    replace: '',
    suites: [ORDER],
  },
  {
    name: 'git: a push back to an older commit is stale',
    file: DELIVERY,
    find: 'latest.sha === sha || latest.sha === before) return false',
    replace: 'latest.sha === sha) return false',
    suites: [ORDER],
  },
  {
    name: 'git: deliveries that arrive together do not wait for each other',
    file: 'packages/core/src/work/git/git-hooks-store-sql.ts',
    find: '.forUpdate()',
    replace: '',
    suites: ['packages/core/test/work/git/git-pushes.test.ts'],
  },
  {
    name: 'git: a rotation ends the secret before at once',
    file: 'packages/core/src/work/git/hook-secrets.ts',
    find: "if (current !== undefined) await this.seal(hooks, hookId, 'previous', current, until)",
    replace: 'if (current === undefined) await this.seal(hooks, hookId, "previous", secret, until)',
    suites: [HOOKS],
  },
  {
    name: 'git: the script of an app finds the token',
    file: HANDLER,
    find: 'if [ -n "${SVC_GIT_AUTH_FILE:-}" ]; then rm -f "$SVC_GIT_AUTH_FILE"; fi',
    replace: ':',
    suites: [AGENT],
  },
  {
    name: 'git: the job of an app holds the token',
    file: 'packages/cli/src/agent/run/git-auth.ts',
    find: 'source: { ...source, auth: { type: auth.type } }',
    replace: 'source',
    suites: [AGENT],
  },
  {
    name: 'git: a job of a hook may fetch from files',
    file: GIT,
    find: '*) GIT_ALLOW_PROTOCOL=https:ssh ;;',
    replace: '*) ;;',
    suites: [AGENT],
  },
  {
    name: 'git: relative submodules are looked for beside the release',
    file: GIT,
    find: '  in_repo config remote.origin.url "$remote"\n',
    replace: '',
    suites: [FETCH],
  },
  {
    name: 'git: every repository is one of SHA-1',
    file: GIT,
    find: '64) format=sha256',
    replace: '64) format=sha1',
    suites: [FETCH],
  },
  {
    name: 'git: credentials lent to one owner are lent to all',
    file: GIT,
    find: 'owner:"/$SVC_GIT_OWNER"/*) true',
    replace: 'owner:*) true',
    suites: [FETCH],
  },
  {
    name: 'git: credentials lent to one owner are lent by steps upwards',
    file: GIT,
    find: 'owner:*/..*) false ;; ',
    replace: '',
    suites: [FETCH],
  },
  {
    name: 'git: a deploy key is shown to every server of a submodule',
    file: GIT,
    find: '[ \\"\\$server\\" = \\"\\$SVC_GIT_SERVER\\" ] && ',
    replace: '',
    suites: [FETCH],
  },
  {
    name: 'git: a token is lent to submodules although nobody said so',
    file: 'packages/cli/src/agent/run/git-auth.ts',
    find: "submodules: lent ?? 'none' }",
    replace: "submodules: lent ?? 'server' }",
    suites: [FETCH],
  },
  {
    name: 'git: pointers of git-lfs go live',
    file: GIT,
    find: "  need_lfs 'the repository'\n",
    replace: '  return\n',
    suites: [FETCH],
  },
  {
    name: 'git: a broken line is taken for a commit that is not handed out',
    file: GIT,
    find: '[ -z "$why" ] || fail "the repository could not be fetched$why"',
    replace: ':',
    suites: [FETCH],
  },
  {
    name: 'git: hosts are not told to which submodules the credentials are lent',
    file: 'packages/core/src/work/git/git-credentials.ts',
    find: 'secret.slice(colon > 0 ? colon + 1 : 0), submodules }',
    replace: 'secret.slice(colon > 0 ? colon + 1 : 0) }',
    suites: ['packages/http/test/git/git-hooks.test.ts'],
  },
]
