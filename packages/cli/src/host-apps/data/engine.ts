/** Both databases of a name. */
export interface Sides {
  readonly used?: string | undefined
  readonly aside?: string | undefined
}

/** A server, or a kind of servers, of databases on this host. Each order can be given again. */
export interface DatabaseEngine {
  /** Makes a database with this password. */
  create(name: string, password: string): Promise<void>
  setPassword(name: string, password: string): Promise<void>
  /** The variables of an application that the database is linked to. */
  variables(name: string, password: string, as: string): Readonly<Record<string, string>>
  /** The folder of the socket at which applications reach it. */
  socketFolder(name: string): string
  /** Removes a database with all its data; one that is not there is no fault. */
  drop(name: string): Promise<void>
  /** Writes a dump to an open file. */
  dump(name: string, to: number): Promise<void>
  /** Makes a database anew, aside, from a dump. Returns in words how much came. @throws Problem in words */
  load(name: string, from: number): Promise<string>
  /** Words that stay with both databases of a name: the one in use, and the one that lies aside. */
  sides(name: string): Promise<Sides>
  /** Puts the one of this word in use, and the other one aside; when it is in use nothing is done. */
  swap(name: string, to: string): Promise<void>
  /** Removes the database that lies aside. */
  dropAside(name: string): Promise<void>
  has(name: string): Promise<boolean>
}
