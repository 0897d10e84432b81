/** The word that leads to the program of hosted applications, which handlers use and no people. */
export const HOST_APPS = 'host-apps'
