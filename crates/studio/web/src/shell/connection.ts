// The way to a place of the server: commands out, messages and packets in.

export type Header = Record<string, unknown> & { kind: string };

/** A binary message: a header, and arrays that lie in it. */
export interface Packet {
  header: Header;
  floats(name: string): Float32Array;
  counts(name: string): Uint32Array;
}

export interface Listener {
  message(message: Header): void;
  packet(packet: Packet): void;
  frame(packet: Packet): void;
  connected(is: boolean): void;
}

/** Milliseconds until it is tried again, at first and at most. */
const RETRY = [300, 5000];

const KEY = "pliant-token";

/** From the address; kept, so that it survives what changes the address. */
export function token(): string {
  const given = new URLSearchParams(location.search).get("token");
  if (given) sessionStorage.setItem(KEY, given);
  return given ?? sessionStorage.getItem(KEY) ?? "";
}

export class Connection {
  private socket: WebSocket | null = null;
  private latest: Packet | null = null;
  private waiting: Record<string, unknown>[] = [];
  private retry = RETRY[0];
  private isClosed = false;
  private asked = 0;
  /** Frames that arrived, and that were shown: for whoever measures. */
  readonly counted = { received: 0, shown: 0 };

  constructor(
    private readonly place: string,
    private readonly listener: Listener,
  ) {
    this.connect();
  }

  /** Sends a command; when there is no connection, as soon as there is one. */
  send(command: Record<string, unknown> & { do: string }): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(command));
    else if (this.waiting.length < 50) this.waiting.push(command);
  }

  close(): void {
    this.isClosed = true;
    this.socket?.close();
    cancelAnimationFrame(this.asked);
  }

  private connect(): void {
    const address = `ws://${location.host}/ws/${this.place}?token=${encodeURIComponent(token())}`;
    const socket = new WebSocket(address);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => {
      this.retry = RETRY[0];
      this.listener.connected(true);
      for (const command of this.waiting.splice(0)) socket.send(JSON.stringify(command));
    };
    socket.onmessage = (event) => this.receive(event.data);
    socket.onclose = () => {
      if (this.isClosed) return;
      this.listener.connected(false);
      setTimeout(() => !this.isClosed && this.connect(), this.retry);
      this.retry = Math.min(2 * this.retry, RETRY[1]);
    };
  }

  private receive(data: string | ArrayBuffer): void {
    if (this.isClosed) return;
    if (typeof data === "string") {
      this.listener.message(JSON.parse(data) as Header);
      return;
    }
    const packet = parsed(data);
    if (packet.header.kind !== "frame") {
      this.listener.packet(packet);
      return;
    }
    this.counted.received += 1;
    this.latest = packet;
    if (!this.asked) this.asked = requestAnimationFrame(() => this.show());
  }

  private show(): void {
    this.asked = 0;
    const frame = this.latest;
    this.latest = null;
    if (!frame || this.isClosed) return;
    this.listener.frame(frame);
    this.counted.shown += 1;
    this.send({ do: "shown", number: frame.header.number });
  }
}

function parsed(data: ArrayBuffer): Packet {
  const length = new DataView(data).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length))) as Header;
  const places = new Map<string, [number, number]>();
  let at = 4 + length;
  for (const array of header.arrays as { name: string; length: number }[]) {
    places.set(array.name, [at, array.length]);
    at += 4 * array.length;
  }
  return {
    header,
    floats(name) {
      const place = places.get(name);
      return place ? new Float32Array(data, place[0], place[1]) : new Float32Array();
    },
    counts(name) {
      const place = places.get(name);
      return place ? new Uint32Array(data, place[0], place[1]) : new Uint32Array();
    },
  };
}
