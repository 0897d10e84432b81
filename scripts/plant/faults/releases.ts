import type { Fault } from '../fault.ts'

const CHANGELOG = ['test/release.test.ts']
const WHOLE = ['test/packed/release.test.ts']

export const faults: readonly Fault[] = [
  {
    name: 'releases: a package tells changes of all packages',
    file: 'scripts/release/changelog.ts',
    find: 'entries.filter(({ packages }) => packages.has(name))',
    replace: 'entries.filter(({ packages }) => packages.size > 0)',
    suites: CHANGELOG,
  },
  {
    name: 'releases: an entry without packages passes',
    file: 'scripts/release/changelog.ts',
    find: 'if (text === undefined || unknown)',
    replace: 'if (unknown)',
    suites: CHANGELOG,
  },
  {
    name: 'releases: a package may have another version',
    file: 'scripts/release/checks.ts',
    find: 'if (manifest.version !== version)',
    replace: 'if (manifest.version === undefined)',
    suites: CHANGELOG,
  },
  {
    name: 'releases: a dependency of ours may be of any version',
    file: 'scripts/release/checks.ts',
    find: 'own.has(name) && range !== version',
    replace: 'own.has(name) && range === undefined',
    suites: CHANGELOG,
  },
  {
    name: 'releases: the shrinkwrap leaves out packages that a library of ours has for itself',
    file: 'scripts/pack/lock.ts',
    find: '[folder, ...names.keys()]',
    replace: '[folder]',
    suites: CHANGELOG,
  },
  {
    name: 'releases: packages with a scope stay private',
    file: 'scripts/pack/stage.ts',
    find: "    publishConfig: { access: 'public' },\n",
    replace: '',
    suites: CHANGELOG,
  },
  {
    name: 'releases: other bytes under one version count as published',
    file: 'scripts/release/registry.ts',
    find: 'there !== undefined && there !== each.integrity',
    replace: 'there === null',
    suites: WHOLE,
  },
  {
    name: 'releases: a registry that does not say counts as one that has nothing',
    file: 'scripts/release/registry.ts',
    find: 'if (NOT_THERE.test(failure)) return undefined',
    replace: 'if (failure !== undefined) return undefined',
    suites: WHOLE,
  },
  {
    name: 'releases: uncommitted changes go out',
    file: 'scripts/release.ts',
    find: "if (git('status', '--porcelain') !== '')",
    replace: "if (git('status', '--porcelain') === '?')",
    suites: WHOLE,
  },
  {
    name: 'releases: a rehearsal changes the checkout',
    file: 'scripts/release.ts',
    find: 'await packed(copyOf(root), section)',
    replace: 'await packed(root, section)',
    suites: WHOLE,
  },
  {
    name: 'releases: a failed release leaves the version in the manifests',
    file: 'scripts/release.ts',
    find: "    git('checkout', '--quiet', 'HEAD', '--', ...versioned)\n",
    replace: '',
    suites: WHOLE,
  },
]
