import type { Fault } from '../fault.ts'

const STORE = 'packages/core/src/work/images/images-store-sql.ts'
const SERVICE = 'packages/core/src/work/images/images.ts'
const FIELDS = 'packages/core/src/work/images/image-fields.ts'
const REPORTS = 'packages/cli/src/agent/images/image-reports.ts'
const CONTRACT = 'packages/core/test/work/images/images-store.test.ts'
const SUITE = 'packages/core/test/work/images/images.test.ts'
const ROUTE = 'packages/http/test/routes/images.test.ts'
const AGENT = 'packages/cli/test/agent/images.test.ts'
const HANDLERS = 'packages/cli/test/agent/backup-handlers.test.ts'
const REGISTRATIONS = 'packages/cli/test/agent/registrations.test.ts'

export const faults: readonly Fault[] = [
  {
    name: 'images: a fingerprint of another license will do',
    file: STORE,
    find: "const IS_HOST = 'exists (select from agents where license_id = $1 and fingerprint = $2)'",
    replace: "const IS_HOST = 'exists (select from agents where $1 <> fingerprint and fingerprint = $2)'",
    suites: [CONTRACT],
  },
  {
    name: 'images: the beginning of a checksum finds those of any license: the scope is left off',
    file: STORE,
    find: '\n    .where(isOwned)\n    .where(sql<SqlBool>`starts_with',
    replace: '\n    .where(sql<SqlBool>`starts_with',
    suites: ['packages/core/test/platform/storage/scopes.test.ts'],
  },
  {
    name: 'images: a job that another host holds will do',
    file: STORE,
    find: 'where id = ${job} and license_id = $1 and claimed_by = $2 and',
    replace: 'where id = ${job} and license_id = $1 and',
    suites: [CONTRACT],
  },
  {
    name: 'images: another size of a known image is taken',
    file: STORE,
    find: 'and (i.size_bytes is null or excluded.size_bytes is null or i.size_bytes = excluded.size_bytes)',
    replace: 'and true',
    suites: [CONTRACT],
  },
  {
    name: 'images: what is present in one repository prunes another',
    file: STORE,
    find: "where license_id = $1 and fingerprint = $2 and repo = $3 and state = 'available'",
    replace: "where license_id = $1 and fingerprint = $2 and $3 <> '' and state = 'available'",
    suites: [CONTRACT],
  },
  {
    name: 'images: a pruned image stays pruned',
    file: STORE,
    find: "state = 'available', pruned_at = null, last_seen_at",
    replace: 'last_seen_at',
    suites: [CONTRACT],
  },
  {
    name: 'images: a registration that names what is present prunes itself',
    file: SERVICE,
    find: '[...present, image.checksum]',
    replace: '[...present]',
    suites: [SUITE],
  },
  {
    name: 'images: an empty list prunes everything',
    file: SERVICE,
    find: 'if (present?.length !== 0 || confirm_empty === true) return present',
    replace: 'if (present?.length !== 0 || confirm_empty !== false) return present',
    suites: [ROUTE],
  },
  {
    name: 'images: a pruned image can be restored',
    file: SERVICE,
    find: "if (image.state !== 'available') {",
    replace: 'if (image.state === undefined) {',
    suites: [SUITE],
  },
  {
    name: 'images: a repository may bear a password',
    file: FIELDS,
    find: '  !USERINFO.test(value) &&\n',
    replace: '  USERINFO.source.length > 0 &&\n',
    suites: [ROUTE],
  },
  {
    name: 'images: the tick forgets nothing',
    file: 'packages/core/src/work/images/feature.ts',
    find: '  purge: ({ images }) => images.purge(),\n',
    replace: '  purge: ({ images }) => images.list({ limit: 1 }),\n',
    suites: [SUITE],
  },
  {
    name: 'images: a job whose image was refused counts as done',
    file: 'packages/cli/src/agent/run/job-run.ts',
    find: '    return this.#isGone() ? undefined : final',
    replace:
      "    return this.#isGone() ? undefined : { ...outcome, ...(final === outcome ? {} : { state: 'succeeded' }) }",
    suites: [REGISTRATIONS],
  },
  {
    name: 'images: a drill that failed is not told',
    file: REPORTS,
    find: 'pass: worked })',
    replace: 'pass: true })',
    suites: [REGISTRATIONS],
  },
  {
    name: 'images: an image that was lost on the way is never told again',
    file: REPORTS,
    find: '        return refused\n      }\n      if (answer',
    replace: '      }\n      if (answer',
    suites: [REGISTRATIONS],
  },
  {
    name: 'images: the agent follows a link that a handler left',
    file: 'packages/cli/src/agent/images/handler-images.ts',
    find: 'constants.O_RDONLY | constants.O_NOFOLLOW |',
    replace: 'constants.O_RDONLY |',
    suites: [REGISTRATIONS],
  },
  {
    name: 'images: a restore writes into what is there',
    file: 'packages/cli/handlers/restore',
    find: 'fail "$target holds something already: name another target, or move it away"',
    replace: 'say "$target holds something already"',
    suites: [AGENT],
  },
  {
    name: 'images: a path that is missing is no fault of a backup',
    file: 'packages/cli/handlers/backup',
    find: `    fault "'$1' is not there"\n`,
    replace: '',
    suites: [HANDLERS],
  },
  {
    name: 'images: a link is captured as a link',
    file: 'packages/cli/handlers/backup',
    find: '  targets="$targets$real\n',
    replace: '  targets="$targets$1\n',
    suites: [HANDLERS],
  },
  {
    name: 'images: a repository captures itself',
    file: 'packages/cli/handlers/backup',
    find: '  if [ -d "$place" ]; then exclude "$place"; fi\n',
    replace: '',
    suites: [HANDLERS],
  },
  {
    name: 'images: old snapshots that could not be removed fail a backup',
    file: 'packages/cli/handlers/backup',
    find: '    say "note: old snapshots stay',
    replace: '    fail "note: old snapshots stay',
    suites: [HANDLERS],
  },
  {
    name: 'images: the lock of a process that cannot be seen is taken away',
    file: 'packages/cli/handlers/restic.sh',
    find: 'is_own_lock "$lock_pid" "$made" || return 1\n',
    replace: '',
    suites: [HANDLERS],
  },
  {
    name: 'images: old snapshots are removed right after locks were',
    file: 'packages/cli/handlers/restic.sh',
    find: '  unlocked=yes\n',
    replace: '',
    suites: [HANDLERS],
  },
  {
    name: 'images: a drill passes without a file',
    file: 'packages/cli/handlers/restore',
    find: `  [ "$files" -gt 0 ] || fail 'the image holds no file'\n`,
    replace: '',
    suites: [HANDLERS],
  },
  {
    name: 'images: an image that is not whole takes the place of good ones',
    file: 'packages/cli/handlers/backup',
    find: `  if [ -n "$faults" ]; then
    say 'note`,
    replace: `  if [ -z "$targets" ]; then
    say 'note`,
    suites: [HANDLERS],
  },
  {
    name: 'images: a repository that is too large to be named is named in part',
    file: 'packages/cli/src/agent/images/registrations.ts',
    find: 'present.length <= mostPresent ? { present } : {}',
    replace: 'present.length >= 0 ? { present: present.slice(-mostPresent) } : {}',
    suites: [REGISTRATIONS],
  },
  {
    name: 'images: restore --verify is ignored',
    file: 'packages/cli/src/commands/images/images-change.ts',
    find: 'target, drill, verify, data })',
    replace: 'target, drill, verify: verify && drill, data })',
    suites: ['packages/cli/test/commands/images.test.ts'],
  },
  {
    name: 'images: a drill is not told how much was captured',
    file: 'packages/core/src/work/images/restore-payload.ts',
    find: '...(isDrill && image.sizeBytes !== undefined ? { size_bytes: image.sizeBytes } : {}),',
    replace: '',
    suites: ['packages/cli/test/commands/images.test.ts'],
  },
]
