import { dependencyOf, type Fault, packageOf, type Workspace } from './workspace.ts'

// The packages of this project that each may import: core ← testing, core ← http ← cli (architecture, rule
// 1).
const OURS: Readonly<Record<string, readonly string[]>> = {
  core: [],
  testing: ['@svc/core'],
  http: ['@svc/core'],
  cli: ['@svc/core', '@svc/http'],
}

interface Placement {
  readonly packages: RegExp
  readonly allowed: RegExp
  readonly mend: string
}

const SQL_FILES = /^packages\/core\/src\/(?:.*-sql\.ts|platform\/(?:storage|database)\/.*)$/

// The only files that may import certain packages, types included.
const PLACEMENTS: readonly Placement[] = [
  {
    packages: /^(?:koa(?:-.*)?|@koa\/.*)$/,
    allowed: /^packages\/http\//,
    mend: 'Only http knows Koa: hand plain values over instead.',
  },
  {
    packages: /^commander$/,
    allowed: /^packages\/cli\//,
    mend: 'Only cli knows commander: declare an operation or a route, and let cli present it.',
  },
  {
    packages: /^(?:ws|playwright(?:-.*)?)$/,
    allowed: /^packages\/cli\//,
    mend: 'The relay and the browser engine stand in cli: core has their ports.',
  },
  {
    packages: /^@jest\/globals$/,
    allowed: /^packages\/testing\/src\/(?:contracts|opened-storage|.*-contract|.*\/contract-[a-z-]+)\.ts$/,
    mend: 'It throws outside jest: only *-contract.ts, contract-*.ts and what they alone use may import it.',
  },
  {
    packages:
      /^(?:@mikro-orm\/(?:postgresql|pglite)|@electric-sql\/pglite(?:-prepopulatedfs)?|pg|pg-connection-string)$/,
    allowed:
      /^packages\/(?:core\/src\/platform\/database\/(?:orm|database-server|pglite-[a-z]+)|testing\/src\/postgres-storage)\.ts$/,
    mend: 'Drivers are chosen in database/orm.ts, their connections made in database-server.ts (and test databases made in postgres-storage.ts): take the connection from there.',
  },
  {
    packages: /^(?:@mikro-orm\/.*|kysely)$/,
    allowed: SQL_FILES,
    mend: 'The ORM stays in core, in *-sql.ts and database/: put the statement there, behind the port.',
  },
]

function placementFault(path: string, dependency: string): string | undefined {
  const placement = PLACEMENTS.find(({ packages }) => packages.test(dependency))
  return placement && !placement.allowed.test(path)
    ? `${dependency} has no place here. ${placement.mend}`
    : undefined
}

function directionFault(path: string, dependency: string): string | undefined {
  if (!dependency.startsWith('@svc/')) return undefined
  const allowed = OURS[packageOf(path)] ?? []
  if (allowed.includes(dependency)) return undefined
  return `${packageOf(path)} may not import ${dependency}, only ${allowed.join(', ') || 'none of ours'}. Move the code down, or pass it in as an argument.`
}

/**
 * Checks rule 1 and section 2: the direction of imports between packages, and the files that may import a
 * framework, the ORM or a driver.
 */
export function checkPackages({ sources }: Workspace): Fault[] {
  const faults: Fault[] = []
  for (const { path, imports } of sources) {
    for (const { specifier, line } of imports) {
      const dependency = dependencyOf(specifier)
      if (!dependency) continue
      const direction = directionFault(path, dependency)
      if (direction) faults.push({ path, line, rule: 'package-direction', message: direction })
      const placement = placementFault(path, dependency)
      if (placement) faults.push({ path, line, rule: 'package-place', message: placement })
    }
  }
  return faults
}
