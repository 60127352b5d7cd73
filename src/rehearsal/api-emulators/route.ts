/** What a path asks for, without its query and its version: agents differ in whether the base address holds `/v1`. */

export function routeOf(path: string): string {
  const [route = ''] = path.split('?');
  return route.replace(/^\/v1(beta)?(?=\/)/, '');
}
