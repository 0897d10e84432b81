import { type Infer, refine } from 'superstruct'
import { listOf, mapOf, matching, oneOf, shape, whole } from '../../kernel/validation.ts'

/**
 * Capabilities that a container may be given: each means something within its own users, files and network
 * alone.
 */
const CAPABILITIES = [
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'NET_BIND_SERVICE',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
] as const

/** Capabilities of a container; it has none without. */
export const capabilitiesField = listOf(oneOf(CAPABILITIES), CAPABILITIES.length)

/** Name of an image, with a tag, a digest or both. The rest of its form is judged by the host's podman. */
export const imageName = matching(
  /^[a-z0-9][A-Za-z0-9._:/-]{0,400}(?:@sha256:[0-9a-f]{64})?$/,
  'the name of an image, such as ghcr.io/acme/shop:1.2',
)

/** Name of a stage of a Dockerfile. */
export const stageName = matching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'the name of a stage')

const MAX_ARGS = 64
/** Arguments of a build. They stand in the history of the image, so they are never secrets. */
export const buildArgs = refine(
  mapOf(
    matching(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'the name of an argument'),
    matching(/^[^\0\r\n]{0,1024}$/, 'one line of at most 1024 characters'),
  ),
  'few',
  (value) => Object.keys(value).length <= MAX_ARGS || `expected at most ${MAX_ARGS} arguments`,
)

/** An image as a host has it. */
export const hostImage = shape({
  image: matching(/^sha256:[0-9a-f]{64}$/, 'the id of an image'),
  /** The digest by which registries know it. */
  digest: matching(/^sha256:[0-9a-f]{64}$/, 'a digest'),
  /** Ports that the image says it listens at. */
  ports: listOf(whole(1, 65_535), 100),
})

/** An image as a host has it. */
export type HostImage = Infer<typeof hostImage>
