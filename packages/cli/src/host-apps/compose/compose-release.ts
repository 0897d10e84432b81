import { existsSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { Problem } from '@svc/core'
import {
  type AppContainer,
  type AppPlan,
  type AppProcess,
  type ImageOrder,
  isVisited,
  type RegistryLogins,
} from '@svc/core/adapters'
import { releaseFolder } from '../apps-folder.ts'
import { imageOf, onlyPort } from '../container-release.ts'
import type { DeployParts } from '../deploy-app.ts'
import type { Say } from '../generation.ts'
import { releaseFacts } from '../release-facts.ts'
import { type Placed, readCompose } from './compose-file.ts'
import type { Repository } from './places.ts'
import { treeDigest } from './tree-digest.ts'

/** Places where podman looks for the first process of a container. */
const INITS = ['/usr/libexec/podman/catatonit', '/usr/bin/catatonit']

/** The parts of a release that a compose file says. */
export interface ComposedRelease {
  readonly processes: Record<string, AppProcess>
  readonly containers: Record<string, AppContainer>
}

/** Inputs of a release by a compose file. */
export type ComposedParts = DeployParts & {
  readonly logins: RegistryLogins
  readonly env: Readonly<Record<string, string>>
}

/**
 * Reads the compose file of a release, and has the supervisor build or pull the images of its services.
 * @throws Problem in words for everything that is refused, before the first image
 */
export async function composeRelease(
  parts: ComposedParts,
  { file, service: visited, visited: more }: NonNullable<AppPlan['compose']>,
  say: Say,
): Promise<ComposedRelease> {
  const repository = repositoryOf(releaseFolder(parts.apps, parts.app, parts.sha), file)
  const text = repository.text(file)
  if (text === undefined) throw new Problem('invalid-input', { detail: `there is no ${file}` })
  const { services, notes } = readCompose({ file, text, repository, env: parts.env, visited, more })
  for (const note of notes) say(note)
  demandInit(services)
  const composed: ComposedRelease = { processes: {}, containers: {} }
  for (const each of services) {
    composed.processes[each.processName] = each.process
    composed.containers[each.processName] = await containerOf(parts, each, services, say)
  }
  return composed
}

/** @throws Problem `conflict` with the package that a container with `init` needs */
function demandInit(services: readonly Placed[]): void {
  const wants = services.find(({ service }) => service.init)
  if (wants === undefined || INITS.some((path) => existsSync(path))) return
  throw new Problem('conflict', {
    detail: `services.${wants.name}.init needs a program on this host: apt-get install catatonit`,
  })
}

function repositoryOf(folder: string, file: string): Repository {
  const { text } = releaseFacts(folder)
  return {
    base: file.split('/').slice(0, -1).join('/') || '.',
    text,
    has: (path) => {
      const stat = lstatSync(join(folder, path), { throwIfNoEntry: false })
      return stat !== undefined && (stat.isFile() || stat.isDirectory())
    },
  }
}

async function containerOf(
  { io, apps, app, sha, serve, logins }: ComposedParts,
  each: Placed,
  all: readonly Placed[],
  say: Say,
): Promise<AppContainer> {
  const { name, processName, build, image, isFresh, ports, exposed, visited } = each
  const digests = Object.entries(each.files).map(([place, path]): [string, string, string] => [
    place,
    path,
    treeDigest(join(releaseFolder(apps, app, sha), path)),
  ])
  const body: ImageOrder = {
    ...{ app, sha, logins, service: processName },
    ...(build === undefined ? { image } : { file: build.file, args: { ...build.args } }),
    ...(build?.context === undefined ? {} : { context: build.context }),
    ...(build?.target === undefined ? {} : { target: build.target }),
    ...(isFresh ? { fresh: true } : {}),
    files: Object.fromEntries(digests.map(([, path, digest]) => [digest, path])),
  }
  const known = await imageOf(io, apps, body, serve, say)
  const ofVisitors = visited === undefined ? [] : [visited]
  const reached = [...new Set([...ports.map(({ port }) => port), ...exposed, ...known.ports, ...ofVisitors])]
  const at =
    reached.length === 0 ? 'no port, so that no other service reaches it' : `port ${reached.join(', ')}`
  say(`${name}: ${known.image.slice(0, 19)} at ${at}`)
  const port = isVisited(processName, each.process)
    ? (visited ?? onlyPort(known.ports, `write ports of ${name} into the file`))
    : undefined
  const after = Object.entries(each.after).map(([before, condition]) => [
    all.find((other) => other.name === before)?.processName ?? before,
    condition,
  ])
  return {
    image: known.image,
    ...(port === undefined ? {} : { port }),
    service: {
      ...each.service,
      ports: reached,
      ...(build === undefined && image !== undefined ? { source: image } : {}),
      ...(digests.length === 0
        ? {}
        : { files: Object.fromEntries(digests.map(([place, , digest]) => [place, digest])) }),
      ...(after.length === 0 ? {} : { after: Object.fromEntries(after) }),
    },
  }
}
