// `npm run pack`: makes the packages to be published, in the folder of `--out` (default `packed`):
// - a tarball of each package, with its README, its changelog, its declarations and its code
// - `svc-agent.mjs`, the host agent as one file
// - `package.json` and `package-lock.json`, for `npm ci` to install the control plane from the tarballs, with
// the dependencies of this checkout
// - `Containerfile`, which makes an image of the control plane in this way
// `npm run release` packs with `--shrinkwrap`, for a registry.
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { packPackages } from './pack/pack-packages.ts'

const { values } = parseArgs({
  options: { out: { type: 'string', default: 'packed' }, shrinkwrap: { type: 'boolean', default: false } },
})
const out = resolve(process.env.INIT_CWD ?? process.cwd(), values.out)
await packPackages(out, { shrinkwrap: values.shrinkwrap })
console.log(`packed into ${out}`)
