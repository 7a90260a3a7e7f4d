"""What each counted reason means, and what to do about it."""

from __future__ import annotations

__all__ = ['REMEDIES']

REMEDIES: dict[str, tuple[str, str]] = {
    'zero_stamp': (
        'messages with stamp 0 belong to no time',
        'Let the publisher set header.stamp to when the image was taken.',
    ),
    'late': (
        'messages came after their frame had left',
        'Raise max_wait_s, or look why they take so long.',
    ),
    'late_frame': (
        'frames lie before what is remembered already',
        'Look whether two sources publish the same camera with different clocks.',
    ),
    'duplicate': ('a message of that stamp had come', 'Look for a second publisher.'),
    'backlog': (
        'messages came faster than they were taken in',
        'Raise backlog, or lower the rate of the cameras.',
    ),
    'clock_jumped_back': (
        'the clock was set back, and a new epoch began',
        'Call ~/rebase when the map is still the same.',
    ),
    'unusable_message': ('messages that can never be used', 'See the log of the node.'),
    'internal_error': ('something failed that should not', 'See the log, and report it.'),
    'missing_camera_info': (
        'looks without camera_info',
        'Publish camera_info with the stamp of each image.',
    ),
    'missing_pose': (
        'looks without a pose',
        'Publish transforms up to the stamp of each image; raise max_wait_s when they come late.',
    ),
    'missing_depth': (
        'looks without depth',
        'Raise slop_s when the stamps of depth and colour differ.',
    ),
    'missing_detections': (
        'looks without a result of the detector',
        'Publish an empty array when nothing was found, with the stamp of the image; raise '
        'max_wait_s for a slow detector.',
    ),
    'image_size_mismatch': (
        'an image and its camera_info have different sizes',
        'Publish the camera_info of the image that was sent.',
    ),
    'depth_size_mismatch': (
        'depth has another shape than the camera',
        'Register depth to the colour image.',
    ),
    'depth_all_invalid': ('depth images without any measurement', 'Look at the sensor.'),
    'depth_unit_implausible': (
        'depth that would be kilometres away',
        'Publish metres as 32FC1, or millimetres as 16UC1.',
    ),
    'depth_in_other_frame': (
        'depth in another frame than the colour image',
        'Publish the camera_info of the depth camera, or register depth to the colour image.',
    ),
    'depth_without_transform': (
        'depth in a frame that is not connected with that of the colour image',
        'Publish the transform between both optical frames (usually on /tf_static).',
    ),
    'below_min_score': (
        'detections weaker than is believed',
        'Lower memory.min_score, or see why the detector is unsure.',
    ),
    'no_position': (
        'detections without depth or a position of their own',
        'Register depth to the colour image, or send positions with the detections.',
    ),
    'duplicate_id': (
        'one id twice in an image: the stronger one is taken',
        'Let the tracker give each thing an id of its own.',
    ),
    'id_in_doubt': (
        'an id turned up on what cannot be its object',
        'Look whether the tracker gives ids anew; after memory.move_looks times it is believed.',
    ),
    'embedding_unusable': (
        'embeddings of zeros, or with a number that is not finite: looks are not compared',
        'Let the detector send a vector of finite numbers, or none.',
    ),
    'embedding_of_another_size': (
        'embeddings of another length than those before: looks are not compared',
        'Use one model for all embeddings; a memory keeps to the first.',
    ),
    'world_detection_without_id': (
        'observations without a camera need an id',
        'Send the id of the track, or detections of a camera.',
    ),
    'self_box_no_pose': (
        'a box of the own body has no pose at the stamp of the image, and marks nothing',
        'Look whether self_boxes names the frame as TF does; publish its transform up to the '
        'stamps of the images.',
    ),
    'self_box_around_camera': (
        'a camera without depth is inside a box of the own body, which marks nothing',
        'Make the box smaller, or publish depth.',
    ),
    'missing_self_mask': (
        'looks without the mask that their camera is known to send',
        'Publish the mask with the stamp of each image, or latched for all of them.',
    ),
    'mask_undecodable': ('masks that cannot be read', 'Publish mono8, 8UC1 or PNG.'),
    'mask_in_other_frame': (
        'masks with another frame_id than the images of their camera',
        'Publish the mask with the frame of the images.',
    ),
    'mask_size_mismatch': (
        'masks of another shape than the images',
        'Give the mask the width and height of the images.',
    ),
    'transform_out_of_range': (
        'transforms of more than a million kilometres',
        'Look which publisher of the transform sends numbers that it never set.',
    ),
    'detection_out_of_range': (
        'boxes or positions beyond all images and distances',
        'Look what the detector sends where it has no box or no position.',
    ),
    'detection_orientation_unusable': (
        'orientations that are no quaternion',
        'Send an orientation of unit length, or all zeros where it is not known.',
    ),
    'transform_breaks_tree': (
        'a frame would have two parents, or be its own',
        'Look for two publishers of one transform.',
    ),
}
