import { shippedText } from './shipped.ts'

interface Manifest {
  readonly version: string
  readonly engines: { readonly node: string }
}

const manifest = (): Manifest => JSON.parse(shippedText('package.json')) as Manifest

/** The version of this package, as its package.json says. */
export const version = (): string => manifest().version

/** The oldest Node.js that this release is made for, in plain numbers. */
export const requiredNode = (): string => manifest().engines.node.replace('>=', '')
