import type { Config } from '../../platform/config/config.ts'
import { featureOf } from '../../platform/feature.ts'
import type { LanguageModel } from './answer/language-model.ts'
import { Chat } from './chat.ts'
import { chatOperations } from './chat-operations.ts'
import type { ContentFolder, ContentPages } from './documents/content-folder.ts'
import * as settings from './settings.ts'

/** The tools that the chat uses. */
export interface ChatNeeds {
  readonly parts: {
    readonly docsDir?: string | undefined
    readonly docsPages?: ContentPages | undefined
  }
  readonly outside: { readonly languageModel: LanguageModel | undefined }
  readonly health: { readonly isDraining: boolean }
}

/** The support chat, with the folders and the model of the settings. */
export const chat = featureOf<ChatNeeds>()({
  settings,
  sql: () => import('./conversations-store-sql.ts'),
  services: (base, { parts, health, outside }): { chat: Chat } => ({
    chat: new Chat({
      ...base,
      folders: contentFolders(base.config, parts),
      model: outside.languageModel,
      isDraining: () => health.isDraining,
    }),
  }),
  operations: chatOperations,
  tasks: ({ chat }) => [
    { name: 'chat-purge', run: async (signal) => ({ purgedChats: await chat.purge(signal) }) },
  ],
})

function contentFolders(
  { chat }: Config,
  { docsDir, docsPages: pages }: ChatNeeds['parts'],
): readonly ContentFolder[] {
  const docs = docsDir === undefined ? [] : [{ dir: docsDir, base: '/docs', pages }]
  return chat.contentDir === undefined ? docs : [...docs, { dir: chat.contentDir, base: '' }]
}
