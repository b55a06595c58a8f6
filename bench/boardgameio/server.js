// A dice race for two on boardgame.io's server: roll and gather, or hold and bank.
//
//     node server.js [FOLDER]
//     node server.js --postgres URL --redis URL
//
// Matches are stored in memory, or with FOLDER in its FlatFile storage, or in PostgreSQL with updates over
// Redis, for several servers. It listens on a free port of the loopback interface and prints its address. A
// match never ends, so that no rematch is needed.

const { FlatFile, Origins, Server, SocketIO } = require("boardgame.io/server");

const dice = {
  name: "dice",
  minPlayers: 2,
  maxPlayers: 2,
  setup: () => ({ scores: [0, 0], gathered: 0, rolled: 0 }),
  moves: {
    roll: ({ G, events, random }) => {
      G.rolled = random.D6();
      G.gathered = G.rolled === 1 ? 0 : G.gathered + G.rolled;
      if (G.rolled === 1) events.endTurn();
    },
    hold: ({ G, ctx, events }) => {
      G.scores[ctx.currentPlayer] += G.gathered;
      G.gathered = 0;
      events.endTurn();
    },
  },
};

function shared(postgres, redis) {
  const { RedisPubSub } = require("@boardgame.io/redis-pubsub");
  const { PostgresStore } = require("bgio-postgres");
  const { createClient } = require("redis");
  return {
    db: new PostgresStore(postgres, { logging: false }),
    transport: new SocketIO({
      pubSub: new RedisPubSub(createClient(redis), createClient(redis)),
      socketOpts: { pingInterval: 3600e3 }, // no pings to the tables that wait for their turn
    }),
  };
}

const [first, postgres, , redis] = process.argv.slice(2);
const server = Server({
  games: [dice],
  origins: [Origins.LOCALHOST],
  ...(first === "--postgres" ? shared(postgres, redis) : first && { db: new FlatFile({ dir: first }) }),
});

server.run({ port: { host: "127.0.0.1", port: 0 } }).then(({ appServer }) => {
  console.log(`http://127.0.0.1:${appServer.address().port}`);
});
