import { Problem } from '@svc/core'
import { shape, text } from '@svc/core/adapters'
import { json } from '../exchange/reply.ts'
import { route } from '../exchange/route.ts'
import { open } from '../gates/open.ts'

/** Longest name of a copy's folder. */
const MAX_NAME_CHARS = 128

/**
 * Copies of a database that is being served, for exports and backups. Only for the control socket: a copy
 * takes as much of the disk as the database.
 */
export const copyRoutes = [
  route({
    name: 'copies.make',
    method: 'POST',
    path: '/copies',
    summary: 'Copy the embedded database, as of now, into a folder inside the data folder.',
    operatorErrors: true,
    gate: open,
    replies: {
      201: {
        description: 'The copy; the caller deletes it.',
        body: shape({ name: text(1, MAX_NAME_CHARS) }),
      },
      409: { description: 'The database is in no folder.' },
      503: { description: 'The disk has no room for a copy.' },
    },
    handle: async ({ plane }) => {
      const { storage, log } = plane
      if (storage.copy === undefined) {
        throw new Problem('conflict', {
          detail: 'this service keeps nothing in its data folder: set DATABASE_URL',
        })
      }
      const name = await storage.copy()
      log.info({ copy: name }, 'copied the database')
      return json({ name }, {}, 201)
    },
  }),
]
