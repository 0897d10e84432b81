import type { Storage } from '@svc/core'
import { openedStorage } from '../../opened-storage.ts'
import { describe } from '../../runner.ts'
import { contractChatKeeping } from './contract-keeping.ts'
import { contractChatModes } from './contract-modes.ts'
import { contractChatTalk } from './contract-talk.ts'

/** Contract suite of stores of conversations. */
export function conversationsStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`conversations store on ${name}`, () => {
    const storage = openedStorage(open)
    contractChatTalk(storage)
    contractChatModes(storage)
    contractChatKeeping(storage)
  })
}
