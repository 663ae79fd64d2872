"""A real llama.cpp server with a tiny random model that is written here: transport is real, the answers are noise."""

import contextlib
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import gguf
import numpy as np

_WIDTH, _LAYERS, _HEADS, _KV_HEADS, _FORWARD = 64, 2, 4, 2, 128
_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "<|im_start|>assistant\n"
)


def _byte_names() -> list[str]:
    """The 256 bytes as the printable characters that a byte-level vocabulary writes for them."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    names, extra = {}, 0
    for byte in range(256):
        if byte in printable:
            names[byte] = chr(byte)
        else:
            names[byte] = chr(256 + extra)
            extra += 1
    return [names[byte] for byte in range(256)]


def write_tiny_model(path: Path) -> Path:
    """Writes a random model of about half a megabyte."""
    writer = gguf.GGUFWriter(str(path), "llama")
    words = _byte_names()
    tokens = [*words, "<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    kinds = [gguf.TokenType.NORMAL] * 256 + [gguf.TokenType.CONTROL] * 3
    head = _WIDTH // _HEADS
    writer.add_name("tiny-random")
    writer.add_context_length(4096)
    writer.add_embedding_length(_WIDTH)
    writer.add_block_count(_LAYERS)
    writer.add_feed_forward_length(_FORWARD)
    writer.add_head_count(_HEADS)
    writer.add_head_count_kv(_KV_HEADS)
    writer.add_rope_dimension_count(head)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    writer.add_token_merges([f"{words[ord('t')]} {words[ord('h')]}"])
    writer.add_bos_token_id(256)
    writer.add_eos_token_id(258)
    writer.add_chat_template(_TEMPLATE)
    _add_weights(writer, len(tokens), head)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _add_weights(writer: gguf.GGUFWriter, tokens: int, head: int) -> None:
    random = np.random.default_rng(7)

    def weights(name: str, *shape: int, scale: float = 0.08) -> None:
        writer.add_tensor(name, (random.standard_normal(shape) * scale).astype(np.float32))

    weights("token_embd.weight", tokens, _WIDTH, scale=0.4)
    weights("output.weight", tokens, _WIDTH, scale=0.4)
    writer.add_tensor("output_norm.weight", np.ones(_WIDTH, dtype=np.float32))
    for layer in range(_LAYERS):
        at = f"blk.{layer}"
        writer.add_tensor(f"{at}.attn_norm.weight", np.ones(_WIDTH, dtype=np.float32))
        writer.add_tensor(f"{at}.ffn_norm.weight", np.ones(_WIDTH, dtype=np.float32))
        weights(f"{at}.attn_q.weight", _WIDTH, _WIDTH)
        weights(f"{at}.attn_k.weight", _KV_HEADS * head, _WIDTH)
        weights(f"{at}.attn_v.weight", _KV_HEADS * head, _WIDTH)
        weights(f"{at}.attn_output.weight", _WIDTH, _WIDTH)
        weights(f"{at}.ffn_gate.weight", _FORWARD, _WIDTH)
        weights(f"{at}.ffn_up.weight", _FORWARD, _WIDTH)
        weights(f"{at}.ffn_down.weight", _WIDTH, _FORWARD)


@dataclass(frozen=True, slots=True)
class Llama:
    """A running llama.cpp server."""

    url: str
    model: Path
    context: int


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(url: str) -> None:
    for _ in range(600):
        with (
            contextlib.suppress(urllib.error.URLError, OSError),
            urllib.request.urlopen(f"{url}/health", timeout=2),
        ):
            return
        time.sleep(0.05)
    raise RuntimeError(f"{url} did not come up")


@contextlib.contextmanager
def llama_server(model: Path, *, context: int = 1024, api_key: str | None = None) -> Iterator[Llama]:
    """llama.cpp's own server over `model`, on a free port of this machine."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.hostnames = ["127.0.0.1"]
    params.port = _free_port()
    params.n_ctx = context
    params.n_parallel = 1
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.warmup = False
    if api_key is not None:
        params.api_keys = [api_key]
    server = xllamacpp.Server(params)
    url = f"http://127.0.0.1:{params.port}"
    try:
        _wait(url)
        yield Llama(url=url, model=model, context=context)
    finally:
        del server
