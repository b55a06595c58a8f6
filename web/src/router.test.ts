import { describe, expect, it, vi } from 'vitest';

vi.stubGlobal('location', { pathname: '/', search: '', hash: '' });
const { fragmentOf, routeOf } = await import('./router.svelte');

describe('addresses', () => {
  it.each([
    ['/', '', { screen: 'home' }],
    ['/new/rapido', '?how=online', { screen: 'new', game: 'rapido', how: 'online' }],
    ['/t/abc_-1', '', { screen: 'table', match: 'abc_-1' }],
    ['/rules/chain', '', { screen: 'rules', game: 'chain' }],
    ['/strategy/chain', '', { screen: 'strategy', game: 'chain' }],
    ['/replay', '', { screen: 'replay', match: null }],
    ['/replay/x', '', { screen: 'replay', match: 'x' }],
    ['/about', '', { screen: 'about' }],
    ['/about/x', '', { screen: 'lost' }],
    ['/print/chain', '?board=short', { screen: 'print', game: 'chain', options: { board: 'short' } }],
    ['/t', '', { screen: 'lost' }],
    ['/t/a/b', '', { screen: 'lost' }],
    ['/%E0%A4%A', '', { screen: 'lost' }],
  ])('%s%s', (path, search, route) => expect(routeOf(path, search)).toEqual(route));
  it('have their secrets in the fragment', () => {
    expect(fragmentOf('#watch=abc&ply=12')).toEqual({ watch: 'abc', ply: '12' });
    expect(fragmentOf('')).toEqual({});
  });
});
