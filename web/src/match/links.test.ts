import { describe, expect, it } from 'vitest';
import { isOwnMachine, readLink } from './links';

const HERE = 'http://play.example:8000';

describe('a pasted text', () => {
  it.each([
    ['AbC_d-12345', { here: '/t/AbC_d-12345' }],
    [' http://play.example:8000/t/AbC_d-1 ', { here: '/t/AbC_d-1' }],
    ['play.example:8000/t/AbC_d-1#watch=k', { here: '/t/AbC_d-1#watch=k' }],
    ['http://play.example:8000/replay/AbC#ply=3', { here: '/replay/AbC#ply=3' }],
    ['https://other.example/t/AbC', { elsewhere: 'https://other.example/t/AbC' }],
    ['https://other.example/login', null],
    ['javascript:alert(1)', null],
    ['what is this', null],
    ['', null],
  ])('%j', (text, found) => expect(readLink(text, HERE)).toEqual(found));
});

describe('the own machine', () => {
  it.each([
    ['localhost', true],
    ['127.0.0.1', true],
    ['[::1]', true],
    ['192.168.1.5', false],
    ['localhost.example', false],
  ])('%s: %s', (name, own) => expect(isOwnMachine(name)).toBe(own));
});
