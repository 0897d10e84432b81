import { mkdir } from 'node:fs/promises'
import { Problem } from '@svc/core'
import {
  type AppContainer,
  type AppPlan,
  type FileImage,
  type HostImage,
  type ImageOrder,
  isVisited,
  type RegistryLogins,
  readHostImage,
  withoutLogins,
} from '@svc/core/adapters'
import type { Io } from '../terminal/io.ts'
import { releaseFolder } from './apps-folder.ts'
import { ensureSupervisor, order } from './control-client.ts'
import type { DeployParts } from './deploy-app.ts'
import { givenEnv } from './env-file.ts'
import type { Say } from './generation.ts'
import { keptImage } from './kept-images.ts'
import { isSystemHost } from './system/places.ts'

const gone = (): Problem =>
  new Problem('unavailable', { detail: 'the supervisor ended before the image was there' })

/**
 * Pulls an image that is a release of its own, and makes the folder of that release.
 * A job that asks for the image of an earlier one is given that, and no registry is asked. Returns the digest
 * of the image, which takes the place of a commit, and the name by which it is known.
 */
export async function imageRelease(
  { io, apps, app, serve, envFile, jobFile }: Omit<DeployParts, 'sha' | 'image' | 'force'>,
  image: string,
): Promise<{ readonly sha: string; readonly image: string }> {
  const say: Say = (line) => io.out.write(`${line}\n`)
  const kept = await keptImage(apps, app, jobFile)
  if (kept !== undefined) {
    say(`the image sha256:${kept} of an earlier deploy is here`)
    return { sha: kept, image: atDigest(image, kept) }
  }
  const { logins } = withoutLogins(await givenEnv(envFile))
  const { digest } = await imageOf(io, apps, { app, image, logins }, serve, say)
  const sha = digest.slice('sha256:'.length)
  await mkdir(releaseFolder(apps, app, sha), { recursive: true })
  return { sha, image }
}

/** The name of an image at a digest, in place of its tag. */
function atDigest(image: string, digest: string): string {
  const [name = ''] = image.split('@')
  const tag = name.indexOf(':', name.lastIndexOf('/'))
  return `${tag < 0 ? name : name.slice(0, tag)}@sha256:${digest}`
}

/** Has the supervisor build or pull an image. @throws Problem in words where no containers are run */
export async function imageOf(
  io: Io,
  apps: string,
  body: ImageOrder,
  serve: readonly string[],
  say: Say,
): Promise<HostImage> {
  if (!isSystemHost(apps))
    throw new Problem('conflict', { detail: 'containers run on a server alone: svc agent install --apps' })
  await ensureSupervisor(io, apps, serve)
  const answer = await order(apps, { path: '/image', body, onLine: say })
  if (answer === undefined) throw gone()
  return readHostImage(JSON.parse(answer))
}

/**
 * Has the supervisor build or pull the image of a release. Returns the containers of its processes.
 * @throws Problem in words where no containers are run, and when there is no image in the end
 */
export async function containersOf(
  { io, apps, app, sha, serve, logins }: DeployParts & { readonly logins: RegistryLogins },
  { processes }: AppPlan,
  wanted: NonNullable<AppPlan['image']>,
  say: Say,
): Promise<Readonly<Record<string, AppContainer>>> {
  const began = performance.now()
  const source = 'file' in wanted ? buildOf(wanted) : { image: wanted.name }
  const { image, digest, ports } = await imageOf(io, apps, { app, sha, logins, ...source }, serve, say)
  say(`the image is ${digest}, after ${((performance.now() - began) / 1000).toFixed(1)} s`)
  return Object.fromEntries(
    Object.entries(processes).map(([name, process]): [string, AppContainer] => [
      name,
      { image, port: process.port ?? (isVisited(name, process) ? onlyPort(ports) : undefined) },
    ]),
  )
}

/** The parts of an order that a Dockerfile is built by. */
const buildOf = ({ file, target, args }: FileImage): Pick<ImageOrder, 'file' | 'target' | 'args'> => ({
  file,
  ...(target === undefined ? {} : { target }),
  ...(args === undefined ? {} : { args: { ...args } }),
})

/** The port of an image that says one. @throws Problem `conflict` when it says none, or several */
export function onlyPort(ports: readonly number[], advice = 'write processes.web.port in svc.json'): number {
  const [port] = ports
  if (port !== undefined && ports.length === 1) return port
  const said = ports.length === 0 ? 'no port' : `the ports ${ports.join(', ')}`
  throw new Problem('conflict', {
    detail: `the image says ${said} (EXPOSE): ${advice}`,
  })
}
