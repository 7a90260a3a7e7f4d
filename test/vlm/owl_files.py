"""Tiny OWL-ViT and OWLv2 models with random weights, in folders as ``save_pretrained`` writes."""

from __future__ import annotations

import json
from pathlib import Path

__all__ = ['IMAGE_SIDE', 'MAX_TOKENS', 'write_owl_model']

IMAGE_SIDE, PATCH_SIDE, MAX_TOKENS = 32, 8, 8


def write_owl_model(folder: Path, *, kind: str = 'owlv2', seed: int = 0) -> Path:
    """
    Write a model of 4 x 4 patches that knows the letters a to z; needs torch and transformers.

    Boxes of an initialised model sit on their patches: the weights of the box head are made
    larger, so that boxes differ in size and reach over the border. Its scores lie near 0 and 1:
    the weights of their scale are made smaller.
    """
    import torch
    import transformers

    prefix = {'owlv2': 'Owlv2', 'owlvit': 'OwlViT'}[kind]
    tokenizer = _letter_tokenizer(folder.parent / f'{folder.name}_tokens')
    vocabulary = tokenizer.get_vocab()
    layers = {'hidden_size': 16, 'intermediate_size': 32, 'num_hidden_layers': 1}
    text = {
        'vocab_size': len(vocabulary),
        'max_position_embeddings': MAX_TOKENS,
        'bos_token_id': tokenizer.bos_token_id,
        'eos_token_id': tokenizer.eos_token_id,
        'num_attention_heads': 2,
    }
    vision = {'image_size': IMAGE_SIDE, 'patch_size': PATCH_SIDE, 'num_attention_heads': 2}
    config = getattr(transformers, f'{prefix}Config')(
        text_config=layers | text, vision_config=layers | vision, projection_dim=16
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = getattr(transformers, f'{prefix}ForObjectDetection')(config)
        with torch.no_grad():
            for name, values in model.named_parameters():
                if name.startswith('box_head') and name.endswith('weight'):
                    values.normal_(0.0, 0.3)
                if name.startswith('class_head.logit'):
                    values.mul_(0.1)
    images = getattr(transformers, f'{prefix}ImageProcessorPil')(
        size={'height': IMAGE_SIDE, 'width': IMAGE_SIDE}
    )
    processor = getattr(transformers, f'{prefix}Processor')(images, tokenizer)
    model.save_pretrained(folder, safe_serialization=True)
    processor.save_pretrained(folder)
    return folder


def _letter_tokenizer(folder: Path) -> object:
    """Give a tokenizer of CLIP's kind with one token for each letter."""
    from transformers import CLIPTokenizerFast

    folder.mkdir(parents=True)
    letters = [chr(code) for code in range(ord('a'), ord('z') + 1)]
    words = ['!', *letters, *(f'{letter}</w>' for letter in letters)]
    words += ['<|startoftext|>', '<|endoftext|>']
    vocabulary = {word: index for index, word in enumerate(words)}
    (folder / 'vocab.json').write_text(json.dumps(vocabulary))
    (folder / 'merges.txt').write_text('#version: 0.2\n')
    options = {'pad_token': '!', 'model_max_length': MAX_TOKENS, 'local_files_only': True}
    return CLIPTokenizerFast.from_pretrained(str(folder), **options)
